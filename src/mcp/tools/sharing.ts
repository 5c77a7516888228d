import { described, text } from "../../contract/scalars.ts";
import { invalidField } from "../../errors.ts";
import { contract, type Output } from "../../service/contract.ts";
import { parseInput } from "../../service/parse-input.ts";
import type { Api } from "../api.ts";
import { CURL_ADVICE } from "../curl-advice.ts";
import { type LinkedFile, readLinkedFile } from "../read-linked-file.ts";
import { readShareReference } from "../share-link.ts";
import { toShellWord } from "../shell-word.ts";
import { defineTool, operationTool, type ToolArguments, type ToolRun, toDescription } from "../tool.ts";
import type { LockedSubject } from "../unlock-code.ts";

export const claimFile = operationTool({
  name: "claim_file",
  title: "Claim an anonymous upload",
  operation: "claimFile",
  next: () => "The file is in your account now. Change its settings with service_update_share_settings.",
});

export const updateShareSettings = operationTool({
  name: "update_share_settings",
  title: "Change the settings of a share",
  operation: "updateShareSettings",
  // A change can open a locked share to everybody, or end a share.
  annotations: { destructiveHint: true },
  hint:
    "protect creates an unlock code and a private delivery link, which are shown once; password replaces the code by one that your person chose. priceCents needs an account that can sell: service_connect. " +
    "Send force only if your person knows what buyers lose.",
  next: ({ unlockCode, handoffUrl }) =>
    unlockCode === undefined
      ? handoffUrl === undefined
        ? "The settings are in force."
        : "Save handoffUrl, which is shown once and opens without the password."
      : "Save unlockCode and handoffUrl, they are shown once. Send the code by another way than the link, or handoffUrl alone.",
});

export const shareAgain = operationTool({
  name: "share_again",
  title: "Share the files of an ended share again",
  operation: "shareAgain",
  next: ({ handoffUrl }) =>
    `The files have a new link. Give your person shareUrl.${handoffUrl === undefined ? "" : " Save unlockCode and handoffUrl, they are shown once."}`,
});

const { authorizeDownload: download } = contract;

const downloadInput = download.input.partial({ fileId: true }).extend({
  link: described(
    text(2000).optional(),
    "In place of fileId: a share link, a private link, which needs no code, or a short ID",
    "https://files.example.org/d/7kXq9Zab",
  ),
});

/** Accepts a file's ID or a link, because people give links to agents. */
export const getDownloadUrl = defineTool({
  name: "get_download_url",
  title: "Get a download URL",
  description: toDescription(
    download,
    "Send fileId, or the link of a share with one file. The URL needs no key. A priced share needs the purchaseToken of service_purchase_claim.",
  ),
  access: download.access,
  mayAsk: true,
  // The operation changes nothing of the account, so it needs no scope.
  scopeOf: () => undefined,
  annotations: { openWorldHint: false },
  input: downloadInput,
  output: download.output,
  async run(run, _, sent) {
    const data = await authorizeDownload(run, sent);
    return { data, next: `${CURL_ADVICE} The URL is valid for one hour.` };
  },
});

/** Gets a signed URL. `prepare` gets the file's size, if it is known, immediately before the download is counted. */
export async function authorizeDownload(
  { api, withUnlockCode }: ToolRun,
  sent: ToolArguments,
  prepare: (sizeBytes: number | undefined) => Promise<void> = async () => undefined,
): Promise<Output<"authorizeDownload">> {
  const { fileId, link, unlockCode, ...credentials } = parseInput(downloadInput, sent);
  if ((fileId === undefined) === (link === undefined)) throw invalidField("fileId", "Send exactly one of fileId and link.");
  return await withUnlockCode({
    sent: unlockCode,
    subject: async () => (link === undefined ? { what: `the file with the ID ${fileId}` } : await describeLink(api, link)),
    async run(unlockCode) {
      const { sizeBytes, ...found }: LinkedFile =
        link === undefined ? { fileId: fileId ?? "" } : await readLinkedFile(api, link, unlockCode);
      await prepare(sizeBytes);
      const { challengeId, nonce, ...others } = credentials;
      if (found.unlockToken !== undefined || unlockCode === undefined) return await api.call("authorizeDownload", { ...others, ...found });
      // A buyer needs no code, so a code that was replaced after the purchase must not count as a guess.
      if (others.purchaseToken !== undefined) return await api.call("authorizeDownload", { ...credentials, unlockCode, ...found });
      // A password does not belong in the URL of a download, so what opens the share is exchanged for a token.
      const { unlockToken } = await api.call("unlockDownload", { fileId: found.fileId, unlockCode, challengeId, nonce });
      return await api.call("authorizeDownload", { ...others, unlockToken, ...found });
    },
  });
}

async function describeLink(api: Api, link: string): Promise<LockedSubject> {
  const reference = await readShareReference(api, link);
  if ("handoffToken" in reference) return { what: "this private link" };
  const { name, kind } = await api.call("getShare", reference);
  return { what: `the ${kind} with the short ID ${reference.shortId}`, name };
}

export const DELEGATION_HINT =
  "Use it for every file that exists on a machine with a shell: the bytes do not pass through the model. Send its name: without one, the file is named file.";

export const createUploadDelegation = operationTool({
  name: "create_upload_delegation",
  title: "Let a command upload a file",
  operation: "createDelegation",
  hint: DELEGATION_HINT,
  next: ({ uploadUrl, unlockCode }) => {
    const code = unlockCode === undefined ? "" : "Save unlockCode and handoffUrl, they are shown here alone. ";
    return `${code}Run this command with the file's path; its answer has the share link:\ncurl -fT FILE ${toShellWord(uploadUrl)}`;
  },
});
