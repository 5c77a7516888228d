import { publishFields } from "../../service/shares/contract.ts";
import { UsageError } from "../failure.ts";
import { fromContract } from "./from-contract.ts";
import { TIME_SYNTAX, toIsoTime } from "./times.ts";

const ofContract = fromContract(publishFields, [
  "once",
  "maxDownloads",
  "protect",
  "handoffMessage",
  "title",
  "message",
  "direct",
  "runId",
]);
const notices = fromContract(publishFields, ["notify"], { negatable: true });

/** The options for every setting of a new share. */
export const PUBLISH_OPTIONS = {
  expires: {
    kind: "text",
    value: "TIME",
    help: `When the link stops working: ${TIME_SYNTAX}, or never`,
  },
  ...ofContract.options,
  ...notices.options,
  public: { kind: "flag", help: "Show the share on your public page" },
  folder: {
    kind: "text",
    value: "FOLDER",
    // No folder of this machine.
    suggests: [],
    help: "The folder of your account for the files: its path, such as Reports/2026, which is made if it is missing, or its ID",
  },
} as const;

type Given = Parameters<typeof ofContract.read>[1] & {
  readonly expires: string | undefined;
  readonly public: boolean;
};

/** Reads the publish fields of the options, without the folder. Throws UsageError. */
export function readPublishFields(command: string, options: Given): Readonly<Record<string, unknown>> {
  return {
    ...ofContract.read(command, options),
    ...notices.read(command, options),
    ...readExpiry(command, options.expires),
    ...(options.public && { visibility: "public" }),
  };
}

function readExpiry(command: string, text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined) return {};
  if (text === "never") return { retention: "forever" };
  const ttl = publishFields.ttl.safeParse(text);
  if (ttl.success) return { ttl: ttl.data };
  const expiresAt = toIsoTime(text, { nowMs: Date.now() });
  if (expiresAt !== undefined) return { expiresAt };
  throw new UsageError(`"${text}" is no time for --expires. Write ${TIME_SYNTAX}, or never.`, `filehost ${command} --help`);
}
