import type { Input, OperationName } from "./index.ts";

/** What an operation takes from another's answer: its field, and where in the answer (a JSON Pointer) or request (`$…`) the value is. */
type Taken<To extends OperationName> = Readonly<Partial<Record<Extract<keyof Input<To>, string>, `/${string}` | `$request.${string}`>>>;
type Followers = { readonly [To in OperationName]?: Taken<To> };

const shared = { shortId: "/data/shortId" } as const;
const afterUpload: Followers = {
  getShare: shared,
  authorizeDownload: { fileId: "/data/id" },
  authorizeArchive: shared,
  unlockDownload: { shortId: "/data/shortId", unlockCode: "/data/unlockCode" },
  getFileInfo: { file_code: "/data/shortCode" },
  listDownloadEvents: { fileId: "/data/id" },
  claimFile: { fileId: "/data/id", claimToken: "/data/claimToken" },
  setLinkProtection: { fileId: "/data/id", claimToken: "/data/claimToken" },
  updateShareSettings: { fileId: "/data/id" },
  deleteFile: { fileId: "/data/id", token: "/data/deletionToken" },
};
const session = { uploadId: "/data/uploadId", key: "/data/key" } as const;
const delegated = { delegationToken: "/data/delegationToken", ...session } as const;
const job = { jobId: "/data/jobId", secret: "/data/jobSecret" } as const;
const own = { id: "/data/id" } as const;

/** By the operation that answers ids and tokens: those that take them. The one list that the document's links are made from. */
export const LINKS: { readonly [From in OperationName]?: Followers } = {
  uploadFile: afterUpload,
  importFile: afterUpload,
  completeMultipart: afterUpload,
  completeDelegatedMultipart: afterUpload,
  completeDelegation: afterUpload,
  initMultipart: {
    batchPartUrls: session,
    getMultipart: { uploadId: "/data/uploadId" },
    completeMultipart: session,
    abortMultipart: session,
    getShare: shared,
  },
  createDelegation: {
    batchDelegatedPartUrls: delegated,
    completeDelegatedMultipart: delegated,
    completeDelegation: { delegationToken: "/data/delegationToken" },
  },
  initImport: { getImport: job, watchImport: job, cancelImport: job },
  getImport: { getShare: shared, authorizeDownload: { fileId: "/data/fileId" } },
  getShare: { authorizeDownload: { fileId: "/id" }, authorizeArchive: { shortId: "/short_id" } },
  unlockDownload: { authorizeArchive: { shortId: "/data/shortId", unlockToken: "/data/unlockToken" } },
  claimFile: { getShare: { shortId: "/data/shortCode" }, updateShareSettings: { fileId: "/data/id" } },
  createFolder: { listFiles: { folderId: "/data/id" }, listFolders: { parentId: "/data/id" }, changeFolder: own, deleteFolder: own },
  createKey: { rotateKey: own, revokeKey: own },
  createWebhook: { updateWebhook: own, rotateWebhookSecret: own, testWebhook: own, listWebhookDeliveries: own, deleteWebhook: own },
  testWebhook: { retryWebhookDelivery: { id: "$request.path.id", deliveryId: "/data/id" } },
  createCheckout: { claimPurchase: { sessionId: "/data/sessionId" }, getShare: shared },
  claimPurchase: { authorizeDownload: { fileId: "/data/fileId", purchaseToken: "/data/purchaseToken" } },
  requestChallenge: { registerAgent: { challenge_id: "/challenge_id" } },
};
