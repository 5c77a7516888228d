import { parseTtl } from "../../lib/text/duration.ts";
import { publishFields } from "../../service/shares/contract.ts";
import { fromContract } from "./from-contract.ts";
import { type GivenTime, invalidTime, TIME_SYNTAX, timeAdvice, toIsoTime } from "./times.ts";

const ofContract = fromContract(publishFields, [
  "once",
  "maxDownloads",
  "protect",
  "handoffMessage",
  "title",
  "message",
  "alias",
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
    ...(options.expires !== undefined && readExpiry({ command, option: "expires", text: options.expires })),
    ...(options.public && { visibility: "public" }),
  };
}

/** The fields of an expiry. A duration of the API is counted by the server. */
export type Expiry = { readonly ttl: string } | { readonly expiresAt: string } | { readonly retention: "forever" };

/** Reads the time of an option that also takes `never`. Throws UsageError. */
export function readExpiry(given: GivenTime): Expiry {
  const { text } = given;
  if (text === "never") return { retention: "forever" };
  if (parseTtl(text) !== undefined) return { ttl: text };
  const expiresAt = toIsoTime(text, { nowMs: Date.now() });
  if (expiresAt === undefined) throw invalidTime(given, timeAdvice(", or never"));
  return { expiresAt };
}
