import { stat } from "node:fs/promises";

/** The address at which a clamd listens. */
export type ClamdAddress =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/** The default sockets of clamd's packages. `/var/run` is not a link to `/run` everywhere, hence both. */
const DEFAULT_SOCKETS = [
  // Debian, Ubuntu
  "/run/clamav/clamd.ctl",
  "/var/run/clamav/clamd.ctl",
  // Fedora, RHEL: one service per configuration; their guides set up `scan`
  "/run/clamd.scan/clamd.sock",
  "/var/run/clamd.scan/clamd.sock",
  // Alpine, Arch, Gentoo, FreeBSD, the project's own container images
  "/run/clamav/clamd.sock",
  "/var/run/clamav/clamd.sock",
  "/run/clamav/clamd.socket",
  "/var/run/clamav/clamd.socket",
  // openSUSE
  "/run/clamav/clamd-socket",
  "/var/run/clamav/clamd-socket",
  // Homebrew, on either kind of Mac
  "/opt/homebrew/var/run/clamav/clamd.sock",
  "/usr/local/var/run/clamav/clamd.sock",
  // The sample configuration's, now and formerly
  "/tmp/clamd.sock",
  "/tmp/clamd.socket",
] as const;

/**
 * Parses `unix:/path` or `tcp:host:port` (an IPv6 host in brackets), also written `unix:///path` and `tcp://host:port`. Throws an Error
 * that names the expected format.
 */
export function parseClamdAddress(text: string): ClamdAddress {
  const unix = /^unix:(?:\/\/)?(\/[^/].*)$/.exec(text)?.[1];
  if (unix !== undefined) return { kind: "unix", path: unix };
  const tcp = /^tcp:(?:\/\/)?(?:\[([0-9a-f:.%a-z]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text);
  const host = tcp?.[1] ?? tcp?.[2];
  const port = Number(tcp?.[3]);
  if (host === undefined || port < 1 || port > 65_535) {
    throw new Error(`"${text}" is not an address of clamd: write unix:/path/to/socket or tcp:host:port`);
  }
  return { kind: "tcp", host, port };
}

/** Formats an address as `parseClamdAddress` parses it. */
export function formatClamdAddress(address: ClamdAddress): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return `tcp:${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

/** Finds the first of `paths` that is a socket. Does not connect: a clamd that is down still counts as found. */
export async function findClamdSocket(paths: readonly string[] = DEFAULT_SOCKETS): Promise<ClamdAddress | undefined> {
  for (const path of paths) {
    const info = await stat(path).catch(() => undefined);
    if (info?.isSocket()) return { kind: "unix", path };
  }
  return undefined;
}
