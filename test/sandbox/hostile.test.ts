import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SandboxWorld, SECRET } from "../support/sandbox-world.ts";

let world: SandboxWorld;

beforeAll(async () => {
  world = new SandboxWorld((host) => host === "localhost");
  await world.open();
  expect(await world.sandbox.problem()).toBeUndefined();
});

afterAll(() => world.close());

/** Runs commands one after the other. @returns those that did what none may do, and what that was. */
async function harmsOf(commands: readonly string[]): Promise<string[]> {
  const harms: string[] = [];
  const before = world.kept();
  for (const command of commands) {
    const { output } = await world.run(command);
    const say = (what: string) => harms.push(`${command}: ${what}`);
    if (output.includes(SECRET)) say("read a secret");
    const after = world.kept();
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(path) !== after.get(path)) say(`changed ${path}`);
    }
    if (world.received !== "") say(`sent ${world.received}`);
    if (world.bystander.exitCode !== null || world.bystander.signalCode !== null) say("ended a process");
    if (harms.length > 10) break;
  }
  return harms;
}

const every = <Item>(items: readonly Item[], make: (item: Item) => readonly string[]) => items.flatMap(make);

const LIMIT = { timeout: 600_000 };

describe("hostile commands in the sandbox", () => {
  it("delete and overwrite nothing outside, and nothing that is protected", LIMIT, async () => {
    const targets = [
      "~/.bashrc",
      "~/notes.txt",
      "../other/src/a.js",
      ".git/hooks/pre-commit",
      ".git/config",
      ".vscode/settings.json",
    ];
    const commands = every(targets, (target) => [
      `rm -rf ${target}`,
      `rm -rf $(dirname ${target})`,
      `: > ${target}`,
      `echo harm >> ${target}`,
      `truncate -s 0 ${target}`,
      `mv ${target} moved; echo x > ${target}`,
      `mv $(dirname ${target}) moved-folder`,
      `cp package.json ${target}`,
      `install -m 777 package.json ${target}`,
      `sed -i 's/./x/g' ${target}`,
      `chmod 000 ${target}`,
      `touch ${target}`,
      `ln -sf /etc/passwd ${target}`,
      `dd if=/dev/zero of=${target} bs=1 count=9 conv=notrunc`,
      `python3 -c "import os; open(os.path.expanduser('${target}'),'w').write('x')"`,
      `perl -e 'open(F,">", glob("${target}")); print F "x"'`,
      `find $(dirname ${target}) -type f -delete`,
      `ln -s $(realpath ${target}) link-$$; echo x > link-$$`,
      `ln ${target} hard-$$ && echo x > hard-$$`,
      `tar cf - package.json | tar xf - -C $(dirname ${target})`,
    ]);
    expect(await harmsOf(commands)).toEqual([]);
    expect(commands.length).toBe(120);
  });

  it("don't stay: in start-up files, hooks, and what editors and agents run", LIMIT, async () => {
    const files = [
      ...[
        "~/.profile",
        "~/.zshrc",
        "~/.bash_profile",
        "~/.gitconfig",
        "~/.config/autostart/x.desktop",
        "~/.local/bin/ls",
      ],
      ...[
        "~/.config/systemd/user/x.service",
        "~/.ssh/authorized_keys",
        "~/.tiller/settings.json",
        "/etc/cron.d/x",
        "/etc/profile.d/x.sh",
      ],
      ...[
        ".git/hooks/post-checkout",
        ".vscode/tasks.json",
        ".mcp.json",
        ".claude/settings.json",
        ".tiller/settings.json",
      ],
      ...[".pi/extensions/x.ts", ".husky/pre-commit", ".idea/workspace.xml", ".devcontainer.json"],
    ];
    const commands = [
      ...every(files, (file) => [`mkdir -p $(dirname ${file}) && echo harm > ${file}`]),
      "git config --global core.pager 'touch harm'",
      "git config core.fsmonitor 'touch harm'",
      "git config core.hooksPath .",
      "git config --file .git/config alias.st '!touch harm'",
      "GIT_DIR=.git git config include.path ../evil",
      "(crontab -l; echo '* * * * * touch harm') | crontab -",
      "echo 'touch harm' | at now",
      "mkdir -p .git/hooks/x; cp /bin/true .git/hooks/pre-push",
      "mv .git git-moved; mkdir .git; git init -q; git config core.fsmonitor harm; mv .git/config .git/c",
      "mv .vscode v; mkdir .vscode; echo harm > .vscode/tasks.json",
      "nohup sh -c 'sleep 0.2; echo harm > .mcp.json' >/dev/null 2>&1 & sleep 1",
      "mkdir -p fake; cp .git/HEAD fake; echo ../fake > .git/commondir; sleep 0.1; git status",
      "mkdir -p sub fake; echo 'gitdir: ../fake' > sub/.git",
      "mkdir -p link; ln -s ../.git link/.git; git -C link config core.fsmonitor harm",
      "systemd-run --user touch harm",
      "chsh -s /bin/false",
      "echo harm | tee -a /etc/ld.so.preload /etc/hosts /etc/environment",
    ];
    expect(await harmsOf(commands)).toEqual([]);
    expect(commands.length).toBe(37);
  });

  it("send nothing", LIMIT, async () => {
    const own = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).filter((one) => one.family === "IPv4"),
    );
    const hosts = [...new Set(["127.0.0.1", "localhost", ...own.map(({ address }) => address)])].slice(0, 4);
    const { port } = world;
    const noProxy = "env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY -u all_proxy";
    const commands = [
      ...every(hosts, (host) => [
        `echo harm > /dev/tcp/${host}/${port}`,
        `echo harm > /dev/udp/${host}/${port}`,
        `${noProxy} curl -sm 3 -d harm http://${host}:${port}/`,
        `curl -sm 3 --noproxy '' -d harm http://${host}:${port}/`,
        `curl -sm 3 --noproxy '' -p -d harm http://${host}:${port}/`,
        `curl -sm 3 --noproxy '*' -d harm http://${host}:${port}/`,
        `wget -qT 3 -t 1 --post-data harm http://${host}:${port}/`,
        `python3 -c "import socket; s=socket.create_connection(('${host}',${port}),3); s.send(b'harm')"`,
        `node -e "require('net').connect(${port},'${host}').end('harm')"`,
        `git ls-remote http://${host}:${port}/harm`,
        `git push git://${host}:${port}/harm`,
        `ssh -o BatchMode=yes -o ConnectTimeout=2 -p ${port} harm@${host}`,
        `perl -MIO::Socket::INET -e 'IO::Socket::INET->new(PeerAddr=>"${host}:${port}")->print("harm")'`,
      ]),
      ...["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "[::1]", "0.0.0.0"].map(
        (host) => `curl -sm 3 --noproxy '' -d harm http://${host}:${port}/`,
      ),
      "curl -sm 3 http://169.254.169.254/latest/meta-data/",
      "getent hosts harm.example.com",
      "python3 -c \"import socket; socket.gethostbyname('harm.example.com')\"",
      "ping -c 1 -W 2 127.0.0.2 && ping -c 1 -W 2 1.1.1.1",
      `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect(b'\\0tiller-sandbox-${port}'); s.send(b'harm')"`,
      "curl -sm 3 --unix-socket ~/.docker/run/docker.sock http://harm/",
      "python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.path.expanduser('~/.docker/run/docker.sock')); s.send(b'harm')\"",
      ...[join(world.other, "docker.sock"), "docker.sock"].map(
        (path) => `python3 -c "import socket; s=socket.socket(socket.AF_UNIX); s.connect('${path}'); s.send(b'harm')"`,
      ),
      "docker -H unix://$HOME/.docker/run/docker.sock ps",
      "dbus-send --session --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames",
      "ssh-add -l",
      'find / -xdev -type s 2>/dev/null | head -50 | while read s; do curl -sm 1 --unix-socket "$s" http://harm/; done',
    ];
    expect(await harmsOf(commands)).toEqual([]);
    expect(commands.length).toBeGreaterThanOrEqual(46);
  });

  it("read no secrets", LIMIT, async () => {
    const files = [
      "~/.ssh/id_rsa",
      "~/.aws/credentials",
      "~/.netrc",
      "~/.tiller/auth.json",
      "~/.config/gh/hosts.yml",
      ".env",
      "packages/api/.env.local",
      "~/private/a.txt",
      "~/diary.txt",
    ];
    const commands = [
      ...every(files, (file) => [
        `cat ${file}`,
        `cp ${file} copy-$$; cat copy-$$`,
        `ln -s $(realpath ${file}) l-$$; cat l-$$`,
        `tar cf - ${file} | strings`,
        `python3 -c "import os; print(open(os.path.expanduser('${file}')).read())"`,
        `mv ${file} shown; cat shown`,
      ]),
      "env; printenv; export -p; set",
      "cat /proc/*/environ | tr '\\0' '\\n'",
      "cat /proc/1/environ /proc/self/environ | strings",
      `grep -rs ${SECRET.slice(0, 7)} ~ . --include='*' | cut -c1-200`,
      "find ~ . -type f -exec cat {} + 2>/dev/null",
      "cat /proc/1/root$HOME/.ssh/id_rsa /proc/self/root$HOME/.netrc",
      "cat /proc/*/root$HOME/.ssh/id_rsa /proc/*/cwd/.env",
      "cat /etc/shadow | grep -c : | sed s/^/lines-/",
      "git grep --no-index PLANTED; git diff --no-index /dev/null .env",
      "rm -f .env; cat .env",
      "unshare -Urm sh -c 'umount -l ~/.ssh; cat ~/.ssh/id_rsa; umount -l .env; cat .env'",
      "unshare -Urm sh -c 'mkdir -p m; mount --rbind / m; cat m$HOME/.ssh/id_rsa'",
    ];
    expect(await harmsOf(commands)).toEqual([]);
    expect(commands.length).toBe(66);
  });

  it("don't get out", LIMIT, async () => {
    const pid = world.bystander.pid ?? 0;
    const harm = "echo harm >> ~/notes.txt";
    const commands = [
      `kill -9 ${pid}; kill -9 -1; kill -9 1`,
      `kill -STOP ${process.pid}; kill -CONT ${process.pid}`,
      `renice -n 19 -p ${pid}`,
      `cat /proc/${pid}/environ`,
      `gdb -p ${pid} -batch -ex 'call (int)system("${harm}")'`,
      `strace -p ${pid} -o out`,
      `python3 -c "import ctypes; print(ctypes.CDLL(None).ptrace(16, ${pid}, 0, 0))"`,
      `sudo -n sh -c '${harm}'`,
      `su -c '${harm}'`,
      `pkexec sh -c '${harm}'`,
      `nsenter -t 1 -a sh -c '${harm}'`,
      `nsenter -t ${process.pid} -m -U sh -c '${harm}'`,
      `unshare -Urm sh -c 'mount -o remount,rw,bind / ; mount -o remount,rw /; ${harm}'`,
      `unshare -Urmpf --mount-proc sh -c '${harm}'`,
      `unshare -Urm sh -c 'mount -t overlay overlay -o lowerdir=/etc,upperdir=.,workdir=. /etc; echo harm > /etc/harm'`,
      `unshare -Urm sh -c 'mount --bind package.json .git/config; umount -l .git/config; echo harm >> .git/config'`,
      `unshare -Urm sh -c 'umount -l /; ${harm}'`,
      `unshare -Urm sh -c 'pivot_root . .; ${harm}'`,
      `bwrap --bind / / sh -c '${harm}'`,
      `chroot / sh -c '${harm}'`,
      "mount -o remount,rw /",
      "umount -l ~/.ssh .git/config .env",
      "mknod disk b 8 0; mknod disk2 b 254 0; cat disk disk2 | head -c 100",
      "debugfs -w /dev/vda -R 'write package.json harm'",
      "echo b > /proc/sysrq-trigger",
      "echo '|/bin/false' > /proc/sys/kernel/core_pattern",
      "echo 1 > /sys/kernel/mm/ksm/run; echo 0 > /proc/sys/vm/swappiness",
      "cp /bin/bash rootsh; chmod 4755 rootsh; ./rootsh -p -c 'umount -l .env; cat .env'",
      `setpriv --reuid 0 sh -c '${harm}'`,
      `capsh --user=root -- -c '${harm}'`,
      "python3 -c \"import os; os.setuid(0); open('/etc/harm','w')\"",
      "python3 -c \"import os; fd=os.open('/proc/1/root', os.O_RDONLY); os.fchdir(fd); open('etc/harm','w')\"",
      "for fd in /proc/self/fd/*; do ls -d $fd/../../../etc && touch $fd/../../../etc/harm; done",
      `cd ..; cd ..; echo harm > harm; ${harm}`,
      "ls /proc/*/cwd/ && touch /proc/*/cwd/../../etc/harm",
      "keyctl show; keyctl session",
      "losetup -f package.json; fusermount -u ~",
      `exec 3<>/dev/ptmx; script -qc '${harm}' /dev/null`,
      `setsid sh -c 'sleep 0.3; ${harm}' & sleep 1`,
      `[ "$(ulimit -u)" -le 4096 ] && [ "$(ulimit -d)" != unlimited ] || ${harm}; ulimit -u unlimited`,
    ];
    expect(await harmsOf(commands)).toEqual([]);
    expect(commands.length).toBe(40);
  });
});
