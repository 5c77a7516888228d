import { publishFields } from "../../service/shares/contract.ts";
import { UsageError } from "../failure.ts";
import { fromContract } from "./from-contract.ts";

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

/** Every setting of a new share. */
export const PUBLISH_OPTIONS = {
  expires: {
    kind: "text",
    value: "TIME",
    help: "When the link stops working: 30m, 24h, 7d, 2w, a time such as 2030-01-31T12:00, or never",
  },
  ...ofContract.options,
  ...notices.options,
  public: { kind: "flag", help: "Show the share on your public page" },
  folder: { kind: "text", value: "FOLDER", help: "The folder of your account for the files: its path, such as Reports/2026, or its ID" },
} as const;

type Given = Parameters<typeof ofContract.read>[1] & {
  readonly expires: string | undefined;
  readonly public: boolean;
};

/** The publish fields of the options, without the folder. Throws UsageError. */
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
  for (const name of ["ttl", "expiresAt"] as const) {
    const parsed = publishFields[name].safeParse(text);
    if (parsed.success) return { [name]: parsed.data };
  }
  throw new UsageError(
    `"${text}" is no time for --expires. Write 30m, 24h, 7d or 2w, a time such as 2030-01-31T12:00, or never.`,
    `filehost ${command} --help`,
  );
}
