import type { Json } from "../../../contract/json-schema.ts";
import { inputSource, pathParameters } from "../../../contract/operation.ts";
import { definitionOf, type Input, type OperationName } from "../../../service/contract.ts";

/** The fields of an operation that come from another operation's response, by a JSON Pointer, or from its request (`$request.…`). */
type FieldSources<To extends OperationName> = Readonly<
  Partial<Record<Extract<keyof Input<To>, string>, `/${string}` | `$request.${string}`>>
>;
type Followers = { readonly [To in OperationName]?: FieldSources<To> };

const shared = { shortId: "/data/shortId" } as const;
const afterUpload: Followers = {
  getShare: shared,
  closeShare: shared,
  listShareDownloads: shared,
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
const addFile = { shareShortId: "/data/shortId", shareToken: "/data/shareToken" } as const;
const session = { uploadId: "/data/uploadId", key: "/data/key" } as const;
const delegated = { delegationToken: "/data/delegationToken", ...session } as const;
const job = { jobId: "/data/jobId", secret: "/data/jobSecret" } as const;
const own = { id: "/data/id" } as const;

/** The operations that accept IDs and tokens from another operation's response, by that operation. */
const LINKS: { readonly [From in OperationName]?: Followers } = {
  createShare: {
    initMultipart: addFile,
    importFile: addFile,
    initImport: addFile,
    getShare: shared,
    authorizeArchive: shared,
    unlockDownload: { shortId: "/data/shortId", unlockCode: "/data/unlockCode" },
    closeShare: shared,
    listShareDownloads: shared,
    claimFile: { fileId: "/data/shortId", claimToken: "/data/claimToken" },
    setLinkProtection: { fileId: "/data/shortId", claimToken: "/data/claimToken" },
    updateShareSettings: shared,
    deleteFile: { fileId: "/data/shortId", token: "/data/deletionToken" },
  },
  // Only an ended share can be shared again, or removed from the list.
  closeShare: { shareAgain: shared, removeFromList: shared },
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
  unlockDownload: {
    getShare: { shortId: "/data/shortId", unlockToken: "/data/unlockToken" },
    authorizeArchive: { shortId: "/data/shortId", unlockToken: "/data/unlockToken" },
  },
  claimFile: { getShare: { shortId: "/data/shortCode" }, updateShareSettings: { fileId: "/data/id" } },
  createFolder: { listFiles: { folderId: "/data/id" }, listFolders: { parentId: "/data/id" }, changeFolder: own, deleteFolder: own },
  createKey: { rotateKey: own, revokeKey: own },
  createWebhook: { updateWebhook: own, rotateWebhookSecret: own, testWebhook: own, listWebhookDeliveries: own, deleteWebhook: own },
  testWebhook: { retryWebhookDelivery: { id: "$request.path.id", deliveryId: "/data/id" } },
  createCheckout: { claimPurchase: { sessionId: "/data/sessionId" }, getShare: shared },
  claimPurchase: { authorizeDownload: { fileId: "/data/fileId", purchaseToken: "/data/purchaseToken" } },
  requestChallenge: { registerAgent: { challenge_id: "/challenge_id" } },
};

/** Returns the links of an operation's successful response, by target operation. */
export function toLinks(from: OperationName): Json {
  const followers = Object.entries(LINKS[from] ?? {});
  if (followers.length === 0) return {};
  return { links: Object.fromEntries(followers.map(([to, taken]) => [to, toLink(to as OperationName, taken)])) };
}

function toLink(operationId: OperationName, taken: Readonly<Partial<Record<string, string>>>): Json {
  const definition = definitionOf(operationId);
  const isParameter = (name: string): boolean => inputSource(definition) === "query" || pathParameters(definition.path).includes(name);
  const values = Object.entries(taken).map(([name, source = ""]) => [name, toExpression(source)] as const);
  const parameters = values.filter(([name]) => isParameter(name));
  const body = values.filter(([name]) => !isParameter(name));
  return {
    operationId,
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(body.length > 0 && { requestBody: Object.fromEntries(body) }),
  };
}

const toExpression = (source: string): string => (source.startsWith("$") ? source : `$response.body#${source}`);
