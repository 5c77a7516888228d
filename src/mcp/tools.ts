import type { Tool } from "./tool.ts";
import { registerAgent } from "./tools/agents.ts";
import { deleteFile, fileInfo, folders, listFiles } from "./tools/files.ts";
import { searchTools } from "./tools/search-tools.ts";
import { connect, createCheckout, purchaseCheckout, purchaseClaim } from "./tools/selling.ts";
import { claimFile, createUploadDelegation, getDownloadUrl, shareAgain, updateShareSettings } from "./tools/sharing.ts";
import { upload, uploadStatus } from "./tools/upload.ts";

/** All tools, in the order of `tools/list` (mcp, "Tools"). */
export const TOOLS: readonly Tool[] = [
  upload,
  uploadStatus,
  createUploadDelegation,
  getDownloadUrl,
  fileInfo,
  listFiles,
  folders,
  updateShareSettings,
  shareAgain,
  claimFile,
  deleteFile,
  registerAgent,
  searchTools(() => TOOLS),
  createCheckout,
  purchaseCheckout,
  purchaseClaim,
  connect,
];

/** Returns the tools of callers without a key. */
export const guestTools = (tools: readonly Tool[]): readonly Tool[] => tools.filter(({ isForGuests }) => isForGuests);
export const GUEST_TOOLS = guestTools(TOOLS);
