import { parseRequestLink } from "../../client/server/server-address.ts";
import { publishFields } from "../../service/shares/contract.ts";
import { UsageError } from "../failure.ts";
import { fromContract } from "./from-contract.ts";
import { CODE_OPTION } from "./unlock-code.ts";

const sender = fromContract(publishFields, ["senderName", "senderNote"]);

/** The options of a command that sends files to the request of an account. */
export const REQUEST_OPTIONS = {
  request: {
    kind: "text",
    value: "LINK",
    help: "Send to the account that made this request link, without an account of your own; prints a receipt",
  },
  "sender-name": { ...sender.options["sender-name"], help: "With --request: your name" },
  "sender-note": { ...sender.options["sender-note"], help: "With --request: a note to the recipient" },
  code: { ...CODE_OPTION, help: "With --request: its unlock code; - asks for it. Default: FILEHOST_UNLOCK_CODE" },
} as const;

interface Given {
  readonly request: string | undefined;
  readonly "sender-name": string | undefined;
  readonly "sender-note": string | undefined;
  readonly code: string | undefined;
}

/** A request that the command line names. */
export interface NamedRequest {
  readonly token: string;
  /** The text after `#` in the link. */
  readonly fragment: string;
  readonly senderName?: string | undefined;
  readonly senderNote?: string | undefined;
}

/** The error for settings of a share with `--request`. */
export const noSettings = (command: string): UsageError =>
  new UsageError(
    "The account that asks decides the settings of what it receives. Leave them out with --request.",
    `filehost ${command} --help`,
  );

/** Reads the request of the options; undefined without one. Throws UsageError. */
export function readRequest(command: string, options: Given): NamedRequest | undefined {
  const { request } = options;
  const help = `filehost ${command} --help`;
  if (request === undefined) {
    const stray = (["sender-name", "sender-note", "code"] as const).find((name) => options[name] !== undefined);
    if (stray !== undefined) throw new UsageError(`--${stray} is for --request.`, help);
    return undefined;
  }
  const { senderName, senderNote } = sender.read(command, { "sender-name": options["sender-name"], "sender-note": options["sender-note"] });
  const link = parseRequestLink(request);
  if (link === undefined)
    throw new UsageError("--request takes the whole link that you were given, such as https://files.example.org/r/3hT8nQ9kWm2X", help);
  return { token: link.token, fragment: link.fragment, senderName: senderName ?? undefined, senderNote: senderNote ?? undefined };
}
