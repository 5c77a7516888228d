import { runtime } from "#runtime";
import type { ShareRecords } from "../../client/records/share-records.ts";
import type { NamedBy } from "../../client/server/choose-server.ts";
import type { RemoteApi } from "../../client/server/remote-api.ts";
import type { AccountKey } from "../../client/sign-in/account-key.ts";
import type { Profile } from "../../client/sign-in/profiles.ts";
import { AppError } from "../../errors.ts";
import type { Terminal } from "../command.ts";
import { UsageError } from "../failure.ts";
import { createWaitLine } from "../terminal/wait-line.ts";

/** The options of commands that use a filehost over HTTP. */
export const CLIENT_OPTIONS = {
  url: {
    kind: "text",
    value: "URL",
    suggests: "servers",
    help: "The filehost, such as https://files.example.org; default: FILEHOST_SERVER, or your profile",
  },
  profile: {
    kind: "text",
    value: "NAME",
    suggests: "profiles",
    help: "A server you signed in to; default: FILEHOST_PROFILE, or the first",
  },
  "key-file": {
    kind: "text",
    value: "PATH",
    help: "A file with your API key; default: FILEHOST_KEY or FILEHOST_KEY_FILE, or your profile",
  },
  quiet: { kind: "flag", help: "Print results and errors only" },
} as const;

/** A filehost that a command uses, with the caller's key. */
export interface CommandClient {
  readonly api: RemoteApi;
  /** The chosen address, without a trailing slash. `api.discoverServer()` has the addresses of its API and its site. */
  readonly url: string;
  /** Whether calls have a key or a token. */
  readonly hasKey: boolean;
  /** Returns the key or token for a request to the API of `url`, and for no other address. It can change between requests. */
  key(): Promise<string | undefined>;
  readonly namedBy: NamedBy;
  /** The file that contains the key, which must not be sent. */
  readonly keyFile: string | undefined;
  /** The profile of the server. */
  readonly profile: string | undefined;
  /** The source of the sign-in: a key of an option or the environment, or the key or tokens of the profile. */
  readonly source: "none" | "key" | "profile key" | "oauth";
  /** The anonymous shares of this device, at all servers. */
  readonly shares: ShareRecords;
  /** Whether to print results and errors only. */
  readonly quiet: boolean;
}

export interface OpenClient {
  /** The name of the command, for the advice in errors. */
  readonly command: string;
  readonly options: {
    readonly url: string | undefined;
    readonly profile: string | undefined;
    readonly "key-file": string | undefined;
    readonly quiet?: boolean;
  };
  readonly terminal: Pick<Terminal, "env" | "err">;
  /** Whether errors keep the words of the API, for programs that use it. */
  readonly keepsWords?: boolean;
  /** Arguments that may be links. A link names its server, so no profile is required; the key is sent only if it belongs to that server. */
  readonly links?: readonly string[];
  /** Whether the command needs no account, so that no key is sent. */
  readonly isAnonymous?: boolean;
}

/**
 * Chooses the server and the key for a command, without a request. Throws UsageError if nothing names a server or the links belong to several,
 * otherwise like `chooseServer`.
 */
export async function openClient({
  command,
  options,
  terminal,
  links = [],
  isAnonymous = false,
  keepsWords = false,
}: OpenClient): Promise<CommandClient> {
  const { env } = terminal;
  const help = `filehost ${command} --help`;
  const [{ chooseServer }, { parseShareLink, parseRequestLink, isSameServer }, { createRemoteApi }, { openShareRecords }] =
    await Promise.all([
      import("../../client/server/choose-server.ts"),
      import("../../client/server/server-address.ts"),
      import("../../client/server/remote-api.ts"),
      import("../../client/records/share-records.ts"),
    ]);
  const [linkServer, ...others] = links.flatMap((text) => (parseShareLink(text) ?? parseRequestLink(text))?.server ?? []);
  if (linkServer !== undefined && !others.every((other) => isSameServer(other, linkServer)))
    throw new UsageError("The links are of several servers. Run the command once for each server.", help);
  const chosen = await chooseServer({ options, env, linkServer });
  if (!chosen)
    throw new UsageError(
      `filehost ${command} requires a server: sign in with filehost login URL, choose a profile with filehost profiles use NAME, or pass --url URL (or FILEHOST_SERVER).`,
      help,
    );
  const { url } = chosen;
  const { profile, key } = isAnonymous ? { profile: undefined, key: undefined } : chosen;
  const account = key !== undefined || profile?.signIn === undefined ? undefined : await openProfileKey(profile, env);
  const current = async (): Promise<string | undefined> => (account === undefined ? key : await account.current());
  return {
    api: createRemoteApi({
      url,
      key: current,
      ...(account && { renew: account.renew }),
      ...(!keepsWords && { reword: async (error: AppError) => (await import("../reword-errors.ts")).rewordError({ options }, error) }),
      account: () => key ?? profile?.accountId ?? "",
      onWait: createWaitLine(terminal, { isSilent: options.quiet ?? false }),
    }),
    url,
    hasKey: key !== undefined || account !== undefined,
    key: current,
    namedBy: chosen.namedBy,
    keyFile: chosen.keyFile,
    profile: profile?.name,
    source: key !== undefined ? "key" : account === undefined ? "none" : profile?.signIn === "oauth" ? "oauth" : "profile key",
    shares: openShareRecords(env),
    quiet: options.quiet ?? false,
  };
}

async function openProfileKey(profile: Profile, env: Terminal["env"]): Promise<AccountKey> {
  const [{ openAccountKey }, { openSecrets }] = await Promise.all([
    import("../../client/sign-in/account-key.ts"),
    import("../../client/sign-in/secrets.ts"),
  ]);
  const secrets = openSecrets(env, runtime.keyring);
  const secret = await secrets.find(profile, profile.secret ?? "file");
  if (secret) return openAccountKey({ profile, secret, secrets, env });
  throw new AppError(
    "UNAUTHENTICATED",
    `The secret of the profile ${profile.name} is missing. Run: filehost login ${profile.server} --profile ${profile.name}`,
  );
}
