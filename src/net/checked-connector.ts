import { lookup } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
// By its file: under Bun the bare name is a stub that ignores connectors, and with them every rule here.
import { buildConnector } from "undici/index.js";
import type { Network } from "../domain/address.ts";
import { AppError } from "../errors.ts";
import { mayConnectTo } from "./public-address.ts";
import { notAllowed } from "./remote-url.ts";

/** A host name → its addresses; rejects where it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface ConnectorOptions {
  /** Networks that may be reached although they are not public. */
  readonly allowedNetworks: readonly Network[];
  /** For each address that is tried; at most four are. */
  readonly connectTimeoutMs: number;
  /** Certificate authorities in PEM beside the usual ones. */
  readonly ca?: readonly string[];
  /** The system's resolver by default. */
  readonly resolve?: Resolve;
}

const MOST_ADDRESSES = 4;

/**
 * A connector for undici that reaches allowed addresses alone. It resolves the name itself, connects to an address that it has checked
 * and not to the name, and looks at the socket's other end again: a name that answers differently the next time changes nothing.
 * Fails with URL_NOT_ALLOWED.
 */
export function createCheckedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowedNetworks, resolve = resolveBySystem, connectTimeoutMs, ca } = options;
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, ...(ca && { ca: [...rootCertificates, ...ca] }) });
  const isAllowed = (address: string): boolean => mayConnectTo(address, allowedNetworks);

  const attempt = (wanted: buildConnector.Options, address: string): Promise<Socket> =>
    new Promise((done, fail) => {
      connect({ ...wanted, hostname: address }, (error, socket) => {
        if (!socket) fail(error ?? new Error("no connection"));
        else if (socket.remoteAddress === undefined || isAllowed(socket.remoteAddress)) done(socket);
        else {
          socket.destroy();
          fail(notPublic());
        }
      });
    });

  const open = async (wanted: buildConnector.Options): Promise<Socket> => {
    const name = bareName(wanted.hostname);
    const addresses = (await findAddresses(name, resolve)).filter(isAllowed).slice(0, MOST_ADDRESSES);
    // The certificate must be the name's, whatever address it is; plain HTTP has no use for it.
    const servername = wanted.protocol === "https:" && isIP(name) === 0 ? name : undefined;
    let failure: unknown = notPublic();
    for (const address of addresses) {
      try {
        return await attempt({ ...wanted, servername }, address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };

  return (wanted, callback) => {
    open(wanted).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
}

/** Throws URL_NOT_ALLOWED where a host has addresses, and none that may be connected to. Being unknown is not its concern. */
export async function checkHost(
  hostname: string,
  { allowedNetworks, resolve = resolveBySystem }: Pick<ConnectorOptions, "allowedNetworks" | "resolve">,
): Promise<void> {
  const addresses = await findAddresses(bareName(hostname), resolve).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    return undefined;
  });
  if (addresses && !addresses.some((address) => mayConnectTo(address, allowedNetworks))) throw notPublic();
}

/** Without the brackets of an IPv6 address and the dot that may end a name. */
const bareName = (hostname: string): string => hostname.replace(/^\[|\]$|\.$/g, "");

const notPublic = () => notAllowed("This URL leads to an address that is not on the public internet. Send one that anybody could open.");

/** Names that no public server has (RFC 6761, 6762, 8375, 9476), and those without a dot. */
const INSIDE_NAMES = /(^|\.)(internal|local|localdomain|lan|home\.arpa|localhost)$|^[^.]*$/i;

/** A name's addresses, public or not. Rejects where it has none: with URL_NOT_ALLOWED for one that no public server can have. */
export async function findAddresses(name: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name];
  if (/(^|\.)localhost$/i.test(name)) return ["127.0.0.1", "::1"];
  try {
    return await resolve(name);
  } catch (error) {
    throw INSIDE_NAMES.test(name) ? notPublic() : error;
  }
}

/** Asks the system's resolver for every address. */
export async function resolveBySystem(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
}
