import { execFile } from "node:child_process";
import { mkdir, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { entering, type Program, type SandboxPrograms } from "../sandbox/enter.ts";
import { Holder } from "../sandbox/holder.ts";
import { isIn } from "../sandbox/policy.ts";
import { LONG_TEMPORARY, SERVICES } from "../sandbox/secret-places.ts";
import { socketPaths } from "../sandbox/sockets.ts";
import type { ContainedProgram, ShellScript } from "../tools/contained.ts";
import { makeLayerFolder, removeLayerFolder } from "./layer-folders.ts";

/** The folders in which the layers can be, the best first: a disk has more room than a memory. */
const LAYER_FOLDERS = [LONG_TEMPORARY, tmpdir()];

/**
 * Mounts the layers, and goes on with bubblewrap. Its arguments are the place and the folder of each layer, `--`, and a command line. All places
 * are bound before the first is covered. Their own names could have characters that mean something in the options of a mount.
 */
const MOUNT = `
count=0
for word; do [ "$word" = -- ] && break; count=$((count + 1)); done
at=1
while [ $at -lt $count ]; do
  eval "place=\\\${$at} layer=\\\${$((at + 1))}"
  mount --bind "$place" "$layer/below" || exit 1
  at=$((at + 2))
done
at=1
while [ $at -lt $count ]; do
  eval "place=\\\${$at} layer=\\\${$((at + 1))}"
  mount -t overlay -o "lowerdir=$layer/below,upperdir=$layer/upper,workdir=$layer/work,userxattr" overlay "$place" || exit 1
  at=$((at + 2))
done
shift $((count + 1))
exec "$@"`;

/** A folder of the disk, and what covers it. */
export interface Layer {
  /** The folder, without links. */
  place: string;
  /** The folder with what commands have made, changed, or deleted in it. */
  upper: string;
}

interface OverlayOptions {
  programs: SandboxPrograms;
  /** Folders that commands may seem to change. */
  places: readonly string[];
  env: NodeJS.ProcessEnv;
}

/** A machine that looks like this one, has no network, and keeps what commands change in some folders in layers over them. */
export class Overlay {
  readonly layers: readonly Layer[];
  readonly #programs: SandboxPrograms;
  readonly #folder: string;
  readonly #holder: Holder;

  private constructor(programs: SandboxPrograms, folder: string, layers: readonly Layer[], holder: Holder) {
    this.#programs = programs;
    this.#folder = folder;
    this.layers = layers;
    this.#holder = holder;
  }

  /** @throws Error with the reason when the system has no overlays. */
  static async start(options: OverlayOptions): Promise<Overlay> {
    const problems: unknown[] = [];
    for (const folder of LAYER_FOLDERS) {
      try {
        return await startIn(folder, options, (...parts) => new Overlay(options.programs, ...parts));
      } catch (error) {
        problems.push(error);
      }
    }
    throw problems[0];
  }

  /** Returns how to run a shell over the layers. */
  enter(shell: ShellScript, cwd: string, env: NodeJS.ProcessEnv): ContainedProgram {
    return { ...entering(this.#programs, this.#holder.pid, cwd, shell), env };
  }

  /** Returns the name by which a path inside is seen from here. */
  inside(path: string): string {
    return `/proc/${this.#holder.pid}/root${path}`;
  }

  /** Ends what commands have left running, so that the layers stay as they are. */
  async settle(): Promise<void> {
    for (let others = this.#holder.others(); others.length > 0; others = this.#holder.others()) {
      const script = `kill -9 ${others.join(" ")} 2>/dev/null; exit 0`;
      const { file, args } = this.enter({ shellPath: "/bin/sh", script }, "/", {});
      await promisify(execFile)(file, args, { cwd: "/", env: {} });
    }
  }

  /** Ends it, and deletes its layers. */
  async end(): Promise<void> {
    await this.#holder.end();
    await removeLayerFolder(this.#folder);
  }
}

async function startIn(
  parent: string,
  { programs, places, env }: OverlayOptions,
  make: (folder: string, layers: readonly Layer[], holder: Holder) => Overlay,
): Promise<Overlay> {
  const covered = await widest(places.filter((place) => !isIn(parent, place)));
  const folder = await makeLayerFolder(parent);
  const layers = covered.map((place, at) => ({ place, folder: join(folder, String(at)) }));
  const made = layers.map(({ place, folder: layer }) => ({ place, upper: join(layer, "upper") }));
  try {
    for (const layer of layers) {
      for (const name of ["below", "upper", "work"]) await mkdir(join(layer.folder, name), { recursive: true });
    }
    const words = layers.flatMap(({ place, folder: layer }) => [place, layer]);
    const bubblewrap = [
      programs.bwrap,
      ...bubblewrapArgs(covered, await reachableSockets(covered), env.XDG_RUNTIME_DIR),
    ];
    const holder = await Holder.start(mounting(programs, [...words, "--", ...bubblewrap]), env);
    return make(folder, made, holder);
  } catch (error) {
    await removeLayerFolder(folder);
    throw error;
  }
}

/** Returns the places without those that another one covers. */
async function widest(places: readonly string[]): Promise<string[]> {
  const devices = new Map(await Promise.all(places.map(async (place) => [place, (await stat(place)).dev] as const)));
  const isCovered = (place: string) =>
    [...devices].some(([other, dev]) => other !== place && isIn(place, other) && dev === devices.get(place));
  return [...devices.keys()].filter((place) => !isCovered(place)).toSorted((one, other) => one.length - other.length);
}

function mounting({ unshare }: SandboxPrograms, words: readonly string[]): Program {
  const isAdministrator = process.getuid?.() === 0;
  const namespaces = isAdministrator ? ["--mount"] : ["--user", "--map-root-user", "--mount"];
  return { file: unshare, args: [...namespaces, "--", "/bin/sh", "-c", MOUNT, "sh", ...words] };
}

/** Returns the sockets that commands could talk to. Those below a layer aren't the same as those on the disk. */
async function reachableSockets(covered: readonly string[]): Promise<string[]> {
  const paths = await Promise.all((await socketPaths()).map((path) => realpath(path).catch(() => undefined)));
  const hidden = [SERVICES, ...covered];
  return paths.filter((path) => path !== undefined).filter((path) => !hidden.some((place) => isIn(path, place)));
}

function bubblewrapArgs(places: readonly string[], sockets: readonly string[], runtime: string | undefined): string[] {
  return [
    ...["--unshare-all", "--unshare-user", "--die-with-parent"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", SERVICES, ...(runtime?.startsWith(`${SERVICES}/`) ? ["--dir", runtime] : [])],
    ...places.flatMap((place) => ["--bind", place, place]),
    ...sockets.flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...["--chdir", "/"],
  ];
}
