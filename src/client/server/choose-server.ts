import { AppError, systemCode } from "../../errors.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { toSingleLine } from "../../lib/text/file-name.ts";
import { ClientError } from "../client-error.ts";
import type { Environment } from "../records/private-files.ts";
import { readSmallFile } from "../records/read-small-file.ts";
import { checkExists, openProfiles, type Profile } from "../sign-in/profiles.ts";
import { discoverServer } from "./discover-server.ts";
import { isSameServer, parseServerAddress } from "./server-address.ts";

export interface ServerOptions {
  readonly url?: string | undefined;
  readonly "key-file"?: string | undefined;
  readonly profile?: string | undefined;
}

/**
 * The source of the server's address. `user`: an option, the environment or a profile; `link`: a link, although one of those names another server;
 * `link alone`: a link that cannot be compared with anything.
 */
export type NamedBy = "user" | "link" | "link alone";

/** A server, and the credentials that a command may send there. */
export interface ChosenServer {
  readonly url: string;
  /** The key that an option or the environment names for this server. */
  readonly key?: string;
  /** The file that contains the key. */
  readonly keyFile?: string;
  /** The profile of this server. Its secret is used without `key`. */
  readonly profile: Profile | undefined;
  readonly namedBy: NamedBy;
}

export interface Choice {
  readonly options: ServerOptions;
  readonly env: Environment;
  /** The server of the links among the command's arguments. */
  readonly linkServer?: string | undefined;
}

/**
 * Chooses the server and the key (client, "Which server and key"). Undefined if nothing names a server; a key is used only for the server with which
 * it was named. Throws VALIDATION_FAILED, and NOT_FOUND for a profile or a file that does not exist.
 */
export async function chooseServer({ options, env, linkServer: ofLink }: Choice): Promise<ChosenServer | undefined> {
  const named = readAddress(options.url, "of the server");
  const ofEnvironment = readAddress(env.FILEHOST_SERVER, "in FILEHOST_SERVER");
  const linkServer = ofLink && (await findReached(ofLink, [named, ofEnvironment]));
  const asked = options.profile ?? (env.FILEHOST_PROFILE || undefined);
  const keyServer = ofEnvironment ?? named;
  const keyFile = options["key-file"];
  /** Reads the key for a server that is not named by a profile alone. */
  const readKeyFor = async (url: string, isOwnServer: boolean): Promise<Omit<ChosenServer, "namedBy"> | undefined> => {
    if (keyFile !== undefined) return { url, ...(isSame(named ?? url, url) && (await readKeyFile(keyFile))), profile: undefined };
    const own = isOwnServer && options.profile === undefined ? await readEnvironmentKey(env) : undefined;
    return own && { url, ...own, profile: undefined };
  };
  // The command line has precedence over the environment, and the environment over a default.
  const withoutProfile = linkServer ?? named ?? (options.profile === undefined ? ofEnvironment : undefined);
  // If no profile is requested and the server and key are named, the file of profiles is not read, so a damaged one does no harm.
  const whole = withoutProfile && asked === undefined ? await readKeyFor(withoutProfile, isSame(keyServer, withoutProfile)) : undefined;
  const isNamed = linkServer === undefined || isSame(named, linkServer) || isSame(ofEnvironment, linkServer);
  const byLink = named === undefined && ofEnvironment === undefined ? "link alone" : "link";
  if (whole) return { ...whole, namedBy: isNamed ? "user" : byLink };
  const profiles = await openProfiles(env).list();
  const chosen = asked === undefined ? profiles.find(({ isDefault }) => isDefault) : getProfile(profiles, asked);
  const url = withoutProfile ?? chosen?.server;
  if (url === undefined) return undefined;
  const candidates = asked === undefined ? [...(chosen ? [chosen] : []), ...profiles] : chosen ? [chosen] : [];
  const profile =
    candidates.find(({ server }) => isSameServer(server, url)) ??
    (linkServer === undefined ? undefined : await findBehind(linkServer, candidates, { isAsked: asked !== undefined }));
  // The address in a profile has precedence, because this machine can reach it.
  const address = linkServer === undefined ? url : (profile?.server ?? url);
  const isProfileKey = keyServer === undefined && profile !== undefined && profile === chosen;
  const own = await readKeyFor(isProfileKey && keyFile === undefined ? address : url, isProfileKey || isSame(keyServer, url));
  return { ...(own ?? { url: address, profile }), namedBy: isNamed || profile ? "user" : chosen ? "link" : byLink };
}

const isSame = (one: string | undefined, url: string): boolean => one !== undefined && isSameServer(one, url);

const SITE_TIMEOUT_MS = 3000;

/**
 * Finds the address of a link's server. If the server says that it is the server at one of the other addresses, which this machine reaches, resolves
 * to that address.
 */
async function findReached(ofLink: string, others: readonly (string | undefined)[]): Promise<string> {
  for (const other of others) {
    if (other === undefined || isSameServer(other, ofLink)) continue;
    const server = await withTimeout(discoverServer(other), SITE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (server !== undefined && isSameServer(server.siteUrl, ofLink)) return other;
  }
  return ofLink;
}

/**
 * Finds the profile whose server says that its links start with `linkServer`. A server can also claim foreign links, so the profile is not used if
 * another filehost responds at `linkServer`, unless the person requested the profile.
 */
async function findBehind(
  linkServer: string,
  candidates: readonly Profile[],
  { isAsked }: { readonly isAsked: boolean },
): Promise<Profile | undefined> {
  const behind = candidates.filter(({ siteUrl }) => isSame(siteUrl, linkServer));
  if (behind.length === 0 || isAsked) return behind[0];
  const there = await withTimeout(discoverServer(linkServer), SITE_TIMEOUT_MS, () => undefined).catch(() => undefined);
  if (there === undefined) return behind[0];
  const apiUrl = withOneLoopback(there.configuredApiUrl);
  return behind.find(({ server }) => isSameServer(withOneLoopback(server), apiUrl));
}

/** Replaces every loopback name with one address, so that addresses can be compared. */
const withOneLoopback = (address: string): string => address.replace(/^(https?):\/\/(?:localhost|\[::1\])(?=[:/]|$)/, "$1://127.0.0.1");

function readAddress(text: string | undefined, source: string): string | undefined {
  if (text === undefined || text === "") return undefined;
  const address = parseServerAddress(text);
  if (address !== undefined) return address;
  if (URL.parse(text)?.username || URL.parse(text)?.password)
    throw new ClientError("VALIDATION_FAILED", `The address ${source} has a name or a password.`, { advice: [{ kind: "passKey" }] });
  throw new AppError(
    "VALIDATION_FAILED",
    `"${toSingleLine(text)}" is not the address of a filehost. Write it like https://files.example.org`,
  );
}

function getProfile(profiles: readonly Profile[], asked: string): Profile | undefined {
  checkExists(
    profiles.map(({ name }) => name),
    asked,
  );
  return profiles.find(({ name }) => name === asked);
}

interface NamedKey {
  readonly key: string;
  readonly keyFile?: string;
}

async function readEnvironmentKey(env: Environment): Promise<NamedKey | undefined> {
  if (env.FILEHOST_KEY) return { key: checkKey(env.FILEHOST_KEY, "FILEHOST_KEY") };
  return env.FILEHOST_KEY_FILE ? await readKeyFile(env.FILEHOST_KEY_FILE) : undefined;
}

/** Reads an API key from a file. Throws NOT_FOUND if it cannot be read, VALIDATION_FAILED if it has no key. */
export async function readKeyFile(path: string): Promise<{ readonly key: string; readonly keyFile: string }> {
  const text = await readSmallFile(path).catch((error: unknown) => {
    if (error instanceof AppError) throw error;
    throw new AppError("NOT_FOUND", `The file of the key, ${path}, cannot be read (${systemCode(error) ?? "unknown"}).`, { cause: error });
  });
  return { key: checkKey(text, path), keyFile: path };
}

/** Checks that a text can be a key; throws VALIDATION_FAILED. `source` says where the text is from. */
export function checkKey(text: string, source: string): string {
  const key = text.trim();
  if (key === "") throw new AppError("VALIDATION_FAILED", `${source} is empty. It must have an API key.`);
  if (/[^\x21-\x7e]/.test(key)) throw new AppError("VALIDATION_FAILED", "The API key has characters that no key has. It must be one word.");
  return key;
}
