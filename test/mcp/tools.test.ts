import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOLS } from "../../src/mcp/tools.ts";

const SHARE =
  "visibility direct retention expiresAt ttl once maxDownloads protect password handoffMessage title message notify alias runId openShare shareShortId shareToken folderId relativePath modifiedAt executable requestToken senderName senderNote";

/** Tool → its inputs, and its hints: what clients are written against. */
const EXPECTED: Readonly<Record<string, readonly [inputs: string, hints: string]>> = {
  service_upload: [`url contentBase64 fileName background waitSeconds ${SHARE} idempotencyKey`, "openWorld"],
  service_upload_status: ["jobId jobSecret waitSeconds", "readOnly idempotent"],
  service_create_upload_delegation: [`name sizeBytes contentType expiresInSeconds ${SHARE} immutable upstreamFileIds`, ""],
  service_get_download_url: ["fileId unlockCode unlockToken handoffToken purchaseToken challengeId nonce link", ""],
  service_file_info: ["file_code", "readOnly idempotent"],
  service_list_files: ["page limit folderId search sort order includeFolders runId", "readOnly idempotent"],
  service_folders: ["action parentId search page limit name id recursive force", "destructive"],
  service_update_share_settings: [
    "fileId shortId claimToken visibility direct retention expiresAt extendTtl protect password handoffMessage title message maxDownloads once immutable upstreamFileIds notify alias force priceCents currency priceThumbnails",
    "destructive",
  ],
  service_share_again: ["shortId", ""],
  service_claim_file: ["fileId claimToken", ""],
  service_delete_file: ["fileId token force allLinks", "destructive idempotent"],
  service_register_agent: ["label", "openWorld"],
  service_search_tools: ["query", "readOnly idempotent"],
  service_create_checkout: ["plan locale", "idempotent"],
  service_purchase_checkout: ["shortId fileId unlockCode unlockToken handoffToken challengeId nonce link", ""],
  service_purchase_claim: ["sessionId", "idempotent"],
  service_connect: ["action sync country", "idempotent"],
};

/** mcp, "Tools". */
test("tools have the inputs and hints that clients support", () => {
  const described = TOOLS.map(({ description: { name, inputSchema, annotations } }) => {
    const hints = Object.entries(annotations).flatMap(([hint, holds]) => (holds ? [hint.replace("Hint", "")] : []));
    return [name, [Object.keys(inputSchema.properties ?? {}).join(" "), hints.join(" ")]];
  });
  assert.deepEqual(Object.fromEntries(described), EXPECTED);
});
