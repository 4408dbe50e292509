import { describe, expect, it } from "vitest";
import { readPageAddress } from "../../agent/web/page-address.ts";
import { isPublicAddress } from "../../agent/web/public-address.ts";

describe("an IP address", () => {
  it.each([
    ["127.0.0.1"],
    ["127.255.255.254"],
    ["0.0.0.0"],
    ["10.1.2.3"],
    ["172.16.0.1"],
    ["172.31.255.255"],
    ["192.168.1.1"],
    ["169.254.169.254"],
    ["168.63.129.16"],
    ["100.64.0.1"],
    ["100.100.100.200"],
    ["192.0.0.192"],
    ["198.18.0.1"],
    ["224.0.0.1"],
    ["255.255.255.255"],
    ["::"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["::ffff:8.8.8.8"],
    ["::127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["64:ff9b::10.0.0.1"],
    ["64:ff9b::a9fe:a9fe"],
    ["64:ff9b::1"],
    ["64:ff9b::"],
    ["64:ff9b::1:808:808"],
    ["64:ff9b:1::808:808"],
    ["fc00::1"],
    ["fd00:ec2::254"],
    ["fe80::1"],
    ["fe80::1%eth0"],
    ["ff02::1"],
    ["2001:db8::1"],
    ["2002:7f00:1::"],
    ["2001:0:4136:e378::"],
    ["no address"],
    [""],
  ])("is not public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    ["8.8.8.8"],
    ["64:ff9b::8.8.8.8"],
    ["64:FF9B:0::808:808"],
    ["172.32.0.1"],
    ["100.128.0.1"],
    ["2606:4700::1111"],
    ["2a00:1450:4001:82b::200e"],
  ])("is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("the address of a page", () => {
  it.each([
    ["ftp://example.com/a", "must begin with https://"],
    ["file:///etc/passwd", "must begin with https://"],
    ["example.com", "must begin with https://"],
    ["https://user:secret@example.com/", "must not contain a user name or a password"],
    ["https://user@example.com/", "must not contain a user name or a password"],
    ["http://[/", "is not an address"],
    ["https://example.com/\u200b", "has invisible characters"],
    ["https://exam\nple.com/", "has invisible characters"],
    [`https://example.com/?q=${"x".repeat(2000)}`, "longer than 2000 characters"],
    ["http://localhost/", "is this machine or in a private network"],
    ["http://a.localhost:3000/", "a.localhost:3000 is this machine"],
    ["http://localhost./", "is this machine"],
    ["http://2130706433/", "127.0.0.1 is this machine"],
    ["http://0x7f.1/", "127.0.0.1 is this machine"],
    ["http://0177.0.0.1/", "127.0.0.1 is this machine"],
    ["http://169.254.169.254/latest/meta-data/", "169.254.169.254 is this machine"],
    ["http://[::1]/", "[::1] is this machine"],
    ["http://[::ffff:7f00:1]/", "is this machine"],
  ])("is refused: %s", (address, words) => {
    expect(readPageAddress(address, []).problem).toContain(words);
  });

  it("loses its fragment and keeps the rest", () => {
    expect(readPageAddress(" HTTPS://Example.com:443/a?b=c#d ", []).url?.href).toBe("https://example.com/a?b=c");
  });

  it("may be private if the user named the host", () => {
    expect(readPageAddress("http://127.0.0.1:8080/", ["127.0.0.1"]).url?.host).toBe("127.0.0.1:8080");
    expect(readPageAddress("http://127.0.0.1:8080/", ["127.0.0.1:8080"]).url).toBeDefined();
    expect(readPageAddress("http://127.0.0.1:8081/", ["127.0.0.1:8080"]).problem).toBeDefined();
    expect(readPageAddress("http://127.0.0.1/", ["127.0.0.1:80"]).url).toBeDefined();
    expect(readPageAddress("https://127.0.0.1/", ["127.0.0.1:80"]).problem).toBeDefined();
    expect(readPageAddress("http://[::1]/", ["::1"]).url).toBeDefined();
    expect(readPageAddress("http://Wiki.Localhost/", ["WIKI.localhost"]).url).toBeDefined();
  });
});
