import { isIP, type Socket } from "node:net";
import { rootCertificates } from "node:tls";
// Imports the file, because the bare name is a stub under Bun that ignores connectors, and so every rule of this module.
import { Agent, buildConnector } from "undici/index.js";
import { isAllowedAddress } from "./public-address.ts";
import { bareName, type HostRules, notPublic, resolveBySystem, resolveHost } from "./resolve-host.ts";

export interface AgentOptions extends HostRules {
  /** Timeout for each of at most four addresses. */
  readonly connectTimeoutMs: number;
  /** Additional certificate authorities in PEM. */
  readonly ca?: readonly string[];
  /** Maximum time from the request to the end of the response headers. */
  readonly headersTimeoutMs: number;
  /** Maximum time without a byte of the body. */
  readonly idleTimeoutMs: number;
}

const MAX_ADDRESSES = 4;

/** Creates an undici agent that connects only to allowed addresses. */
export function createCheckedAgent(options: AgentOptions): Agent {
  return new Agent({
    connect: createCheckedConnector(options),
    headersTimeout: options.headersTimeoutMs,
    bodyTimeout: options.idleTimeoutMs,
    keepAliveTimeout: 4_000,
    maxHeaderSize: 32 * 1024,
  });
}

/**
 * Creates a connector for undici that connects only to allowed addresses. It resolves the name, connects to a checked address and not to
 * the name, and checks the socket's remote address again: a name that resolves differently the next time changes nothing. Fails with
 * URL_NOT_ALLOWED.
 */
function createCheckedConnector(options: AgentOptions): buildConnector.connector {
  const { allowedNetworks, resolve = resolveBySystem, connectTimeoutMs, ca } = options;
  const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, ...(ca && { ca: [...rootCertificates, ...ca] }) });
  const isAllowed = (address: string): boolean => isAllowedAddress(address, allowedNetworks);

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
    const addresses = (await resolveHost(name, resolve)).filter(isAllowed).slice(0, MAX_ADDRESSES);
    // The certificate is verified against the name, not the address; plain HTTP needs none.
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
