import { readFileSync } from "node:fs";
import { AppError, systemCode } from "../errors.ts";
import type { Terminal } from "./command.ts";
import { UsageError } from "./failure.ts";

/** The options of commands that use a filehost over HTTP. */
export const REMOTE_OPTIONS = {
  url: { kind: "text", value: "URL", help: "The address of the filehost, such as https://files.example.org; default: FILEHOST_SERVER" },
  "key-file": { kind: "text", value: "PATH", help: "A file with your API key; default: FILEHOST_KEY, or FILEHOST_KEY_FILE" },
} as const;

export interface Remote {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: string | undefined;
  /** The file that has the key. */
  readonly keyFile: string | undefined;
}

interface Source {
  readonly command: string;
  readonly options: { readonly url: string | undefined; readonly "key-file": string | undefined };
  readonly env: Terminal["env"];
}

/** Reads the address and the key of a filehost. Throws UsageError, or NOT_FOUND if the file of the key cannot be read. */
export function readRemote({ command, options, env }: Source): Remote {
  const help = `filehost ${command} --help`;
  const address = options.url ?? env.FILEHOST_SERVER ?? "";
  if (address === "")
    throw new UsageError(`filehost ${command} requires --url URL, or FILEHOST_SERVER: the address of the filehost.`, help);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(`"${address}" is not the address of a filehost. Write it like https://files.example.org`, help);
  if (url.username !== "" || url.password !== "")
    throw new UsageError("The address has a name or a password. Pass a key by FILEHOST_KEY or --key-file.", help);
  const keyFile = options["key-file"] ?? (env.FILEHOST_KEY ? undefined : env.FILEHOST_KEY_FILE);
  return { url: url.href.replace(/\/+$/, ""), key: readKey(keyFile, env, help), keyFile: keyFile || undefined };
}

function readKey(path: string | undefined, env: Terminal["env"], help: string): string | undefined {
  const key = (path ? readKeyFile(path) : (env.FILEHOST_KEY ?? "")).trim();
  if (path && key === "") throw new UsageError(`${path} is empty. It must have an API key.`, help);
  if (/[^\x21-\x7e]/.test(key)) throw new UsageError("The API key has characters that no key has. It must be one word.", help);
  return key === "" ? undefined : key;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new AppError("NOT_FOUND", `The file of the key, ${path}, cannot be read (${systemCode(error) ?? "unknown"}).`, { cause: error });
  }
}
