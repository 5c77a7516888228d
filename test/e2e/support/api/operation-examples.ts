import type { OperationName } from "../../../../src/service/contract.ts";
import { createAuthenticator } from "../../../support/browser/authenticator.ts";
import { addAccount } from "../accounts/accounts.ts";
import { getChallenge, solve } from "../accounts/agents.ts";
import { signUpWithTotp, startSignIn } from "../accounts/two-step.ts";
import { withDatabase } from "../servers/state.ts";
import type { Delegation } from "../shares/delegations.ts";
import { init, sha256 } from "../uploads/multipart.ts";
import { clientOf } from "./api.ts";
import {
  BYTES,
  makeAnonymousFile,
  makeConnection,
  makeDelegation,
  makeDelivery,
  makeEndedShare,
  makeFailedJob,
  makeFile,
  makeFolder,
  makeKey,
  makeRecipient,
  makeReport,
  makeRequest,
  makeSession,
  makeSubmission,
  makeUploadedDelegation,
  makeUploadedSession,
  makeUsedDelegation,
  makeWebhook,
  type OwnerFixture,
  startImport,
} from "./fixtures.ts";
import type { OperationInput } from "./variants.ts";

/** An example of a call of one operation. */
export interface Example {
  /** Creates the objects that a valid input names; resolves to the input. */
  readonly good: (world: OwnerFixture) => Promise<OperationInput>;
  /** The minimum scope of the key; missing if none is required. The document must declare the same. */
  readonly scope?: "files_read" | "files_write" | "full" | "admin";
  /** The status that refuses a valid input, for operations that this server does not support. */
  readonly refusal?: number;
  /** Whether the operation is called without a key. */
  readonly keyless?: true;
  /**
   * A request that must be refused to another account. "same" is the valid input with the other account's key, a function makes another input; `none`
   * says why no such request exists.
   */
  readonly foreign: "same" | ((good: OperationInput, world: OwnerFixture) => Promise<OperationInput>) | { readonly none: string };
  /** The people who know that the named object exists. The refusal must not disclose this to others. */
  readonly knownTo?: "who has its link" | "who has its token";
  /** Whether a session needs a recent proof for the operation (accounts, "Proof"). */
  readonly needsProof?: true;
}

/** The value of `foreign` for operations whose input names no object of an account. */
const NOTHING_NAMED = { none: "the input names no object of an account" };
/** A valid combination of publish fields in JSON. */
const PUBLISHED = { visibility: "public", ttl: "2d", protect: true, handoffMessage: "Here it is.", runId: "run-1" };

const PASSWORD = "correct horse battery";
const newPerson = () => ({ email: `${crypto.randomUUID()}@example.org`, password: PASSWORD, name: "A person" });

/** Inserts a passkey without a device, and resolves to its ID. */
export async function makePasskey(server: OwnerFixture["server"], userId: string): Promise<string> {
  const id = crypto.randomUUID();
  const passkey = { id, user_id: userId, rp_id: "localhost", credential_id: id, public_key: "", counter: 0, transports: "[]", name: "" };
  await withDatabase(server, (db) =>
    db
      .insertInto("passkeys")
      .values({ ...passkey, created_at: 0, last_used_at: null })
      .execute(),
  );
  return id;
}

/** Operations on the server, agents, keys, selling and webhooks. */
const ACCOUNT_EXAMPLES = {
  getHealth: { good: async () => ({}), foreign: NOTHING_NAMED },
  getCapabilities: { good: async () => ({}), foreign: NOTHING_NAMED },
  requestChallenge: { good: async () => ({}), foreign: NOTHING_NAMED },
  registerAgent: {
    async good({ server }) {
      const challenge = await getChallenge(server);
      return { body: { label: "An agent", challenge_id: challenge.challenge_id, nonce: solve(challenge) } };
    },
    foreign: NOTHING_NAMED,
  },
  createReport: {
    async good(world) {
      const { shortId } = await makeAnonymousFile(world);
      return { body: { shortId, reason: "malware", details: "A virus.", email: "eve@example.org" } };
    },
    foreign: NOTHING_NAMED,
  },
  getMe: { good: async () => ({}), scope: "files_read", foreign: NOTHING_NAMED },
  updateMe: {
    good: async () => ({ body: { name: "Ada", showName: true, username: crypto.randomUUID().slice(0, 30) } }),
    scope: "full",
    foreign: NOTHING_NAMED,
  },
  // Keys cannot prove the identity of their user.
  deleteMe: {
    good: async () => ({ body: { confirm: "ada@example.org" } }),
    scope: "full",
    refusal: 403,
    foreign: NOTHING_NAMED,
    needsProof: true,
  },
  listKeys: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  createKey: {
    good: async () => ({ body: { label: "For reading", scope: "files_read" } }),
    scope: "full",
    foreign: NOTHING_NAMED,
    needsProof: true,
  },
  revokeKey: { good: async (world) => ({ path: { id: await makeKey(world) } }), scope: "full", foreign: "same" },
  rotateKey: { good: async (world) => ({ path: { id: await makeKey(world) } }), scope: "full", foreign: "same", needsProof: true },

  signUp: { good: async () => ({ body: newPerson() }), foreign: NOTHING_NAMED },
  signIn: {
    async good({ server }) {
      const { email, password, ...person } = newPerson();
      await clientOf(server).call("signUp", { email, password, ...person });
      return { body: { login: email, password } };
    },
    foreign: NOTHING_NAMED,
  },
  signInWithCode: {
    async good({ server }) {
      const { input, nextCode } = await signUpWithTotp(server, newPerson());
      return { body: { signInToken: await startSignIn(server, input), code: nextCode() } };
    },
    foreign: NOTHING_NAMED,
  },
  // Keys call the operations below unless they say otherwise.
  signOut: { good: async () => ({}), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  changePassword: {
    good: async () => ({ body: { currentPassword: PASSWORD, newPassword: `another ${PASSWORD}` } }),
    scope: "full",
    refusal: 409,
    foreign: NOTHING_NAMED,
    needsProof: true,
  },
  getTotp: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  startTotp: { good: async () => ({}), scope: "full", refusal: 403, foreign: NOTHING_NAMED, needsProof: true },
  confirmTotp: { good: async () => ({ body: { code: "123456" } }), scope: "full", refusal: 403, foreign: NOTHING_NAMED, needsProof: true },
  endTotp: { good: async () => ({}), scope: "full", refusal: 403, foreign: NOTHING_NAMED, needsProof: true },
  createRecoveryCodes: { good: async () => ({}), scope: "full", refusal: 403, foreign: NOTHING_NAMED, needsProof: true },
  listPasskeys: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  startPasskey: { good: async () => ({}), scope: "full", refusal: 403, foreign: NOTHING_NAMED, needsProof: true },
  addPasskey: {
    good: async () => ({ body: { credential: createAuthenticator().make({ challenge: "AA", user: { id: "AA" } }), name: "Phone" } }),
    scope: "full",
    refusal: 403,
    foreign: NOTHING_NAMED,
    needsProof: true,
  },
  renamePasskey: {
    good: async ({ server, owner }) => ({ path: { id: await makePasskey(server, owner.userId) }, body: { name: "Phone" } }),
    scope: "full",
    foreign: "same",
  },
  removePasskey: {
    good: async ({ server, owner }) => ({ path: { id: await makePasskey(server, owner.userId) } }),
    scope: "full",
    refusal: 403,
    foreign: "same",
    needsProof: true,
  },
  startPasskeySignIn: { good: async () => ({}), foreign: NOTHING_NAMED },
  signInWithPasskey: {
    good: async () => ({ body: { credential: createAuthenticator().use({ challenge: "AA" }) } }),
    refusal: 401,
    foreign: NOTHING_NAMED,
  },
  startPasskeyProof: { good: async () => ({}), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  proveWithPasskey: {
    good: async () => ({ body: { credential: createAuthenticator().use({ challenge: "AA" }) } }),
    scope: "full",
    refusal: 409,
    foreign: NOTHING_NAMED,
  },
  prove: { good: async () => ({ body: { password: PASSWORD } }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  listNotices: { good: async () => ({ query: { page: "1" } }), scope: "full", foreign: NOTHING_NAMED },
  markNoticesRead: { good: async () => ({ body: {} }), scope: "full", foreign: NOTHING_NAMED },
  getNoticeSettings: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  updateNoticeSettings: { good: async () => ({ body: { downloaded: true } }), scope: "full", foreign: NOTHING_NAMED },
  // The server sends no mail, and the token is unknown.
  requestPasswordReset: { good: async () => ({ body: { email: newPerson().email } }), refusal: 409, foreign: NOTHING_NAMED },
  resetPassword: { good: async () => ({ body: { token: "reset_unknown", newPassword: PASSWORD } }), refusal: 403, foreign: NOTHING_NAMED },
  verifyEmail: { good: async () => ({ body: { token: "verify_unknown" } }), scope: "full", refusal: 403, foreign: NOTHING_NAMED },
  resendVerification: { good: async () => ({}), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  getEmail: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  changeEmail: {
    good: async () => ({ body: { newEmail: newPerson().email } }),
    scope: "full",
    refusal: 403,
    foreign: NOTHING_NAMED,
    needsProof: true,
  },
  confirmEmail: { good: async () => ({ body: { token: "email_unknown" } }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  cancelEmailChange: { good: async () => ({}), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  getOverview: { good: async () => ({}), scope: "admin", foreign: NOTHING_NAMED },
  checkInstallation: { good: async () => ({}), scope: "admin", foreign: NOTHING_NAMED },
  searchUsers: { good: async () => ({ query: { search: "a", filter: "people" } }), scope: "admin", foreign: NOTHING_NAMED },
  addUser: {
    good: async () => ({ body: { email: `${crypto.randomUUID()}@example.org`, name: "Ada", tier: "pro", proEnd: "30d" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  getUserDetails: { good: async ({ owner }) => ({ path: { id: owner.userId } }), scope: "admin", foreign: NOTHING_NAMED },
  changeUser: {
    good: async ({ server }) => ({ path: { id: (await addAccount(server)).userId }, body: { tier: "pro", proEnd: "30d" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  deleteUser: {
    async good({ server }) {
      const { userId } = await addAccount(server);
      return { path: { id: userId }, body: { confirm: `${userId}@example.org` } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  resetUserTwoFactor: {
    good: async ({ server }) => ({ path: { id: (await signUpWithTotp(server, newPerson())).userId } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  signOutUser: { good: async ({ owner }) => ({ path: { id: owner.userId } }), scope: "admin", foreign: NOTHING_NAMED },
  createUserResetLink: { good: async ({ owner }) => ({ path: { id: owner.userId } }), scope: "admin", foreign: NOTHING_NAMED },
  revokeUserKey: { good: async (world) => ({ path: { id: await makeKey(world) } }), scope: "admin", foreign: NOTHING_NAMED },
  listOpenInvites: { good: async () => ({}), scope: "admin", foreign: NOTHING_NAMED },
  createInvite: { good: async () => ({ body: { email: "eve@example.org", role: "user" } }), scope: "admin", foreign: NOTHING_NAMED },
  revokeInvite: {
    async good({ server, administrator }) {
      return { path: { id: (await clientOf(server, administrator).call("createInvite", {})).data.id } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  listBlockedDigests: { good: async () => ({ query: { search: "Court", limit: "5" } }), scope: "admin", foreign: NOTHING_NAMED },
  blockDigests: {
    good: async () => ({ body: { digests: [sha256(crypto.randomUUID())], reason: "Court order" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  unblockDigest: {
    async good({ server, administrator }) {
      const digest = sha256(crypto.randomUUID());
      await clientOf(server, administrator).call("blockDigests", { digests: [digest] });
      return { path: { sha256: digest } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  takeDownShare: {
    good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId }, body: { block: false, reason: "Court order" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  restoreTakenDown: {
    async good(world) {
      const { shortId } = await makeFile(world);
      await clientOf(world.server, world.administrator).call("takeDownShare", { shortId });
      return { path: { shortId } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  listReports: { good: async () => ({ query: { state: "all", limit: "5" } }), scope: "admin", foreign: NOTHING_NAMED },
  getReport: { good: async (world) => ({ path: { id: await makeReport(world) } }), scope: "admin", foreign: NOTHING_NAMED },
  dismissReport: {
    good: async (world) => ({ path: { id: await makeReport(world) }, body: { note: "Harmless", all: true } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  takeDownReported: {
    good: async (world) => ({ path: { id: await makeReport(world) }, body: { block: false, note: "Court order" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  listAllFiles: {
    good: async () => ({ query: { search: "note", owner: "anonymous", state: "ready", sort: "size", order: "asc", limit: "5" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  rescanFile: { good: async (world) => ({ path: { fileId: (await makeFile(world)).id } }), scope: "admin", foreign: NOTHING_NAMED },
  takeDownFile: {
    good: async (world) => ({ path: { fileId: (await makeFile(world)).id }, body: { block: false, reason: "Court order" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  restoreFile: {
    async good(world) {
      const { id } = await makeFile(world);
      await clientOf(world.server, world.administrator).call("takeDownFile", { fileId: id });
      return { path: { fileId: id } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  rescanFiles: {
    good: async (world) => ({ body: { fileIds: [(await makeFile(world)).id] } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  takeDownFiles: {
    good: async (world) => ({ body: { fileIds: [(await makeFile(world)).id], block: false, reason: "Court order" } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  restoreFiles: {
    async good(world) {
      const { id } = await makeFile(world);
      await clientOf(world.server, world.administrator).call("takeDownFile", { fileId: id });
      return { body: { fileIds: [id] } };
    },
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  listFailedJobs: { good: async () => ({ query: { kind: "webhook", limit: "5" } }), scope: "admin", foreign: NOTHING_NAMED },
  retryFailedJob: { good: async (world) => ({ path: { id: await makeFailedJob(world) } }), scope: "admin", foreign: NOTHING_NAMED },
  retryFailedJobs: { good: async () => ({ query: { kind: "thumbnail" } }), scope: "admin", foreign: NOTHING_NAMED },
  dropFailedJobs: { good: async () => ({ query: { kind: "thumbnail" } }), scope: "admin", foreign: NOTHING_NAMED },
  dropFailedJob: { good: async (world) => ({ path: { id: await makeFailedJob(world) } }), scope: "admin", foreign: NOTHING_NAMED },
  getSettings: { good: async () => ({}), scope: "admin", foreign: NOTHING_NAMED },
  updateSettings: {
    good: async () => ({ body: { settings: { "tiers.pro.files": 500_000, abuse_contact: null }, revision: 1_000_000 } }),
    scope: "admin",
    foreign: NOTHING_NAMED,
  },
  listAuditLog: { good: async () => ({ query: { action: "key", limit: "5" } }), scope: "admin", foreign: NOTHING_NAMED },
  listConnections: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  disconnect: { good: async () => ({ path: { id: "unknown" } }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  listApplications: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  disconnectApplication: { good: async (world) => ({ path: { id: await makeConnection(world) } }), scope: "full", foreign: "same" },
  listSessions: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  revokeOtherSessions: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  revokeSession: { good: async (world) => ({ path: { id: await makeSession(world) } }), scope: "full", foreign: "same" },

  connectSeller: { good: async () => ({ body: { action: "status", sync: false } }), scope: "full", foreign: NOTHING_NAMED },
  getSellerStatus: { good: async () => ({ query: { sync: "true" } }), scope: "full", foreign: NOTHING_NAMED },
  onboardSeller: { good: async () => ({ body: { country: "DE" } }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  openSellerDashboard: { good: async () => ({ body: {} }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  createCheckout: { good: async () => ({ body: { shortId: "abcdefgh" } }), scope: "files_write", refusal: 409, foreign: NOTHING_NAMED },
  claimPurchase: { good: async () => ({ body: { sessionId: "cs_test_1" } }), scope: "files_write", refusal: 409, foreign: NOTHING_NAMED },
  refundSale: {
    good: async () => ({ body: { id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e" } }),
    scope: "full",
    refusal: 409,
    foreign: NOTHING_NAMED,
  },
  listSales: { good: async () => ({ query: { limit: "5" } }), scope: "full", foreign: NOTHING_NAMED },
  createBillingPortal: { good: async () => ({ body: {} }), scope: "full", refusal: 409, foreign: NOTHING_NAMED },
  createUpgradeCheckout: { good: async () => ({ body: {} }), scope: "files_write", refusal: 409, foreign: NOTHING_NAMED },

  listWebhooks: { good: async () => ({}), scope: "full", foreign: NOTHING_NAMED },
  createWebhook: {
    good: async ({ hookUrl }) => ({ body: { url: hookUrl, events: ["file.ready"], description: "A note" } }),
    scope: "full",
    foreign: NOTHING_NAMED,
  },
  updateWebhook: {
    good: async (world) => ({
      path: { id: await makeWebhook(world) },
      body: { url: world.hookUrl, events: ["file.failed"], status: "paused" },
    }),
    scope: "full",
    foreign: "same",
  },
  deleteWebhook: { good: async (world) => ({ path: { id: await makeWebhook(world) } }), scope: "full", foreign: "same" },
  rotateWebhookSecret: { good: async (world) => ({ path: { id: await makeWebhook(world) } }), scope: "full", foreign: "same" },
  testWebhook: { good: async (world) => ({ path: { id: await makeWebhook(world) } }), scope: "full", foreign: "same" },
  listWebhookDeliveries: {
    good: async (world) => ({ path: { id: (await makeDelivery(world)).id }, query: { limit: "10" } }),
    scope: "full",
    foreign: "same",
  },
  retryWebhookDelivery: { good: async (world) => ({ path: await makeDelivery(world) }), scope: "full", foreign: "same" },
} satisfies Partial<Record<OperationName, Example>>;

/** The value of `foreign` for operations that everybody with the link may use. */
export const FOR_ANYONE = { none: "anyone with the link may call it" };

const REQUEST = {
  title: "Photos",
  message: "All of them.",
  maxFiles: 10,
  maxFileBytes: 1000,
  maxBytes: 10_000,
  once: false,
  protect: true,
};

/** Operations of requests. */
const REQUEST_EXAMPLES = {
  createRequest: {
    good: async (world) => ({ body: { ...REQUEST, folderId: await makeFolder(world), expiresAt: inAnHour() } }),
    scope: "files_write",
    foreign: "same",
  },
  listRequests: { good: async () => ({ query: { state: "open", page: "1", limit: "10" } }), scope: "files_read", foreign: NOTHING_NAMED },
  getRequest: { good: async (world) => ({ path: { id: (await makeRequest(world)).id } }), scope: "files_read", foreign: "same" },
  updateRequest: {
    good: async (world) => ({ path: { id: (await makeRequest(world)).id }, body: { ...REQUEST, closed: true } }),
    scope: "files_write",
    foreign: "same",
  },
  rotateRequest: { good: async (world) => ({ path: { id: (await makeRequest(world)).id } }), scope: "files_write", foreign: "same" },
  deleteRequest: { good: async (world) => ({ path: { id: (await makeRequest(world)).id } }), scope: "files_write", foreign: "same" },
  getRequestByToken: {
    good: async (world) => ({ query: { requestToken: (await makeRequest(world)).requestToken, unlockToken: "ul_1.a" } }),
    foreign: FOR_ANYONE,
  },
  unlockRequest: {
    async good(world) {
      const { requestToken, unlockCode } = await makeRequest(world, { protect: true });
      return { body: { requestToken, unlockCode } };
    },
    foreign: FOR_ANYONE,
  },
  openSubmission: {
    async good(world) {
      const { requestToken, unlockCode } = await makeRequest(world, { protect: true });
      return { body: { requestToken, unlockCode, senderName: "Ada", senderNote: "For you." } };
    },
    foreign: FOR_ANYONE,
  },
  getSubmission: {
    async good(world) {
      const { shortId, deletionToken } = await makeSubmission(world);
      return { path: { shortId }, query: { deletionToken } };
    },
    foreign: FOR_ANYONE,
  },
  removeSubmitted: {
    async good(world) {
      const { shortId, deletionToken, fileId } = await makeSubmission(world);
      return { path: { shortId }, query: { deletionToken, fileId } };
    },
    foreign: FOR_ANYONE,
  },
  shareFiles: {
    good: async (world) => ({ body: { fileIds: [(await makeSubmission(world)).fileId], title: "Slides", ttl: "2d", protect: true } }),
    scope: "files_write",
    foreign: "same",
  },
} satisfies Partial<Record<OperationName, Example>>;

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Operations on files, folders and shares. */
const FILE_EXAMPLES = {
  listShares: {
    good: async () => ({ query: { state: "active", search: "note", limit: "10", cursor: "1926590400000_7kXq9Zab" } }),
    scope: "files_read",
    foreign: NOTHING_NAMED,
  },
  listPublicShares: {
    async good({ server }) {
      const username = `u${crypto.randomUUID().slice(0, 20)}`;
      await addAccount(server, { username });
      return { path: { username }, query: { limit: "10", cursor: "1926590400000_7kXq9Zab" } };
    },
    foreign: FOR_ANYONE,
  },
  shareAgain: { good: async (world) => ({ path: { shortId: await makeEndedShare(world) } }), scope: "files_write", foreign: "same" },
  removeFromList: { good: async (world) => ({ path: { shortId: await makeEndedShare(world) } }), scope: "files_write", foreign: "same" },
  closeShare: { good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId } }), scope: "files_write", foreign: "same" },
  listShareDownloads: {
    good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId }, query: { limit: "10", cursor: "1926590400000" } }),
    scope: "files_read",
    foreign: "same",
  },
  sendShare: {
    // The servers of these tests send no mail.
    good: async (world) => ({
      path: { shortId: (await makeFile(world)).shortId },
      body: { recipients: ["grace@example.org"], message: "The slides.", language: "de", remind: true },
    }),
    scope: "files_write",
    refusal: 409,
    foreign: "same",
  },
  listRecipients: { good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId } }), scope: "files_read", foreign: "same" },
  removeRecipient: { good: async (world) => ({ path: await makeRecipient(world) }), scope: "files_write", foreign: "same" },
  deleteFile: { good: async (world) => ({ query: { fileId: (await makeFile(world)).id } }), scope: "files_write", foreign: "same" },
  listFiles: {
    good: async (world) => ({ query: { page: "1", limit: "50", folderId: await makeFolder(world), includeFolders: "true" } }),
    scope: "files_read",
    foreign: "same",
  },
  listFileIds: {
    good: async (world) => ({ query: { folderId: await makeFolder(world), search: "a" } }),
    scope: "files_read",
    foreign: "same",
  },
  getFile: { good: async (world) => ({ path: { fileId: (await makeFile(world)).id } }), scope: "files_read", foreign: "same" },
  changeFile: {
    good: async (world) => ({
      path: { fileId: (await makeFile(world)).id },
      body: { name: "Renamed.txt", folderId: await makeFolder(world) },
    }),
    scope: "files_write",
    foreign: "same",
  },
  archiveFiles: {
    good: async (world) => ({ body: { fileIds: [(await makeFile(world)).id], folderIds: [await makeFolder(world, "To be packed")] } }),
    scope: "files_read",
    foreign: "same",
  },
  moveFiles: {
    good: async (world) => ({
      body: {
        fileIds: [(await makeFile(world)).id],
        folderIds: [await makeFolder(world, "To be moved")],
        folderId: await makeFolder(world),
      },
    }),
    scope: "files_write",
    foreign: "same",
  },
  deleteFiles: {
    good: async (world) => ({ body: { fileIds: [(await makeFile(world)).id], folderIds: [await makeFolder(world)], force: true } }),
    scope: "files_write",
    foreign: { none: "each file of another account is refused independently of the others" },
  },
  previewDeletion: {
    good: async (world) => ({ body: { fileIds: [(await makeFile(world)).id], folderIds: [await makeFolder(world)] } }),
    scope: "files_read",
    foreign: { none: "files of another account are ignored" },
  },
  listRuns: {
    async good(world) {
      await makeFile(world, { runId: "run-3" });
      return { query: { limit: "10", page: "1" } };
    },
    scope: "files_read",
    foreign: NOTHING_NAMED,
  },
  listRun: {
    async good(world) {
      await makeFile(world, { runId: "run-2" });
      return { path: { runId: "run-2" }, query: { limit: "10" } };
    },
    scope: "files_read",
    foreign: { none: "a run belongs to one account, so the name means another run" },
  },
  getFileInfo: { good: async (world) => ({ query: { file_code: (await makeFile(world)).shortCode } }), keyless: true, foreign: FOR_ANYONE },
  listDownloadEvents: {
    good: async (world) => ({ path: { fileId: (await makeFile(world)).id }, query: { limit: "10", cursor: "2020-01-01T00:00:00Z" } }),
    scope: "files_read",
    foreign: "same",
  },

  listFolders: {
    good: async (world) => ({ query: { parentId: await makeFolder(world), search: "fold", page: "1", limit: "10" } }),
    scope: "files_read",
    foreign: "same",
  },
  createFolder: {
    good: async (world) => ({ body: { name: "Inside", parentId: await makeFolder(world) } }),
    scope: "files_write",
    foreign: "same",
  },
  createFolders: {
    good: async (world) => ({ body: { paths: ["Trip", "Trip/Day 1"], parentId: await makeFolder(world) } }),
    scope: "files_write",
    foreign: "same",
  },
  changeFolder: {
    good: async (world) => ({
      path: { id: await makeFolder(world, "To be moved") },
      body: { name: "Moved", parentId: await makeFolder(world) },
    }),
    scope: "files_write",
    foreign: "same",
  },
  deleteFolder: {
    good: async (world) => ({ path: { id: await makeFolder(world) }, query: { recursive: "true", force: "true" } }),
    scope: "files_write",
    foreign: "same",
  },

  claimFile: {
    async good(world) {
      const { id, claimToken } = await makeAnonymousFile(world);
      return { body: { fileId: id, claimToken } };
    },
    scope: "files_write",
    foreign: async (good, world) => ({ body: { ...good.body, fileId: (await makeFile(world)).id } }),
    knownTo: "who has its link",
  },
  setLinkProtection: {
    async good(world) {
      const { id, claimToken } = await makeAnonymousFile(world);
      return { body: { fileId: id, claimToken, protect: true, handoffMessage: "Here it is." } };
    },
    foreign: async (good, world) => ({ body: { ...good.body, fileId: (await makeAnonymousFile(world)).id } }),
    knownTo: "who has its link",
  },
  updateShareSettings: {
    good: async (world) => ({ body: { fileId: (await makeFile(world)).id, visibility: "public", extendTtl: "2d", protect: true } }),
    scope: "files_write",
    foreign: "same",
  },

  createShare: {
    good: async () => ({ body: { title: "Slides", message: "Room 12.", ttl: "2d", protect: true, handoffMessage: "Here it is." } }),
    scope: "files_write",
    foreign: NOTHING_NAMED,
  },
  getShare: { good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId } }), foreign: FOR_ANYONE },
  readShareText: { good: async (world) => ({ path: { shortId: (await makeFile(world)).shortId } }), foreign: FOR_ANYONE },
  authorizeArchive: {
    async good(world) {
      const { shortId, unlockCode = "" } = await makeFile(world, { protect: "true" });
      return { path: { shortId }, query: { unlockCode } };
    },
    keyless: true,
    foreign: async ({ path }) => ({ path }),
    knownTo: "who has its link",
  },
  authorizeDownload: {
    async good(world) {
      const { id, unlockCode = "" } = await makeFile(world, { protect: "true" });
      return { path: { fileId: id }, query: { unlockCode } };
    },
    keyless: true,
    foreign: async ({ path }) => ({ path }),
    knownTo: "who has its link",
  },
  unlockDownload: {
    async good(world) {
      const { shortId, unlockCode } = await makeFile(world, { protect: "true" });
      return { body: { shortId, unlockCode } };
    },
    foreign: async (good, world) => ({ body: { ...good.body, shortId: (await makeFile(world, { protect: "true" })).shortId } }),
    knownTo: "who has its link",
  },
  getHandoff: {
    async good(world) {
      const { handoffUrl = "" } = await makeFile(world, { protect: "true" });
      return { path: { token: handoffUrl.replace(/^.*\/h\//, "") } };
    },
    foreign: FOR_ANYONE,
  },
} satisfies Partial<Record<OperationName, Example>>;

const intoFolderOfOwner = async (good: OperationInput, world: OwnerFixture): Promise<OperationInput> => ({
  body: { ...good.body, folderId: await makeFolder(world) },
});
const withOtherToken = async (good: OperationInput, world: OwnerFixture): Promise<OperationInput> => ({
  body: { ...good.body, delegationToken: (await makeDelegation(world)).delegationToken },
});
const identifiersOf = ({ delegationToken, uploadId, key }: Delegation) => ({ delegationToken, uploadId, key });

/** Operations of uploads, imports and delegations. */
const UPLOAD_EXAMPLES = {
  uploadFile: {
    async good(world) {
      const folderId = await makeFolder(world);
      return { body: { file: new File(["some bytes"], "a.txt"), ...PUBLISHED, protect: "true", folderId } };
    },
    scope: "files_write",
    foreign: "same",
  },

  uploadBatch: {
    async good(world) {
      const [{ shortId }, folderId] = [await makeFile(world, { openShare: "true" }), await makeFolder(world)];
      const file = ["a/b.txt", "a/c.txt"].map((path) => new File([`bytes of ${path}`], path));
      return { body: { shareShortId: shortId, runId: "run-1", folderId, file } };
    },
    scope: "files_write",
    foreign: "same",
  },
  initMultipart: {
    async good(world) {
      const folderId = await makeFolder(world);
      return {
        body: {
          fileName: "a.bin",
          fileSize: 10,
          fileType: "text/plain",
          partSize: 2 ** 20,
          sha256: "a".repeat(64),
          folderId,
          ...PUBLISHED,
        },
      };
    },
    scope: "files_write",
    foreign: "same",
  },
  batchPartUrls: {
    async good({ server, owner }) {
      const { uploadId, key } = await init(server, { fileSize: 10 }, { key: owner.key });
      return { body: { uploadId, key, totalParts: 1, partDigests: { "1": sha256(BYTES) } } };
    },
    scope: "files_write",
    foreign: "same",
  },
  getMultipart: {
    async good(world) {
      const { session } = await makeUploadedSession(world);
      return { path: { uploadId: session.uploadId } };
    },
    foreign: "same",
  },
  completeMultipart: {
    async good(world) {
      const { session, parts } = await makeUploadedSession(world);
      return { body: { uploadId: session.uploadId, key: session.key, parts, fileName: "b.bin", fileSize: 10, ...PUBLISHED } };
    },
    scope: "files_write",
    foreign: "same",
  },
  abortMultipart: {
    async good({ server, owner }) {
      const { uploadId, key } = await init(server, { fileSize: 10 }, { key: owner.key });
      return { body: { uploadId, key } };
    },
    scope: "files_write",
    foreign: "same",
  },

  importFile: {
    good: async ({ remoteUrl }) => ({ body: { url: remoteUrl, fileName: "imported.txt", ...PUBLISHED } }),
    scope: "files_write",
    foreign: intoFolderOfOwner,
  },
  initImport: {
    good: async ({ remoteUrl }) => ({ body: { url: remoteUrl, fileName: "imported.txt", ...PUBLISHED } }),
    scope: "files_write",
    foreign: intoFolderOfOwner,
  },
  getImport: { good: async (world) => ({ path: await startImport(world) }), foreign: "same" },
  watchImport: { good: async (world) => ({ path: await startImport(world), query: { lastEventId: "0" } }), foreign: "same" },
  cancelImport: {
    good: async (world) => ({ path: await startImport(world, world.slowUrl) }),
    scope: "files_write",
    foreign: "same",
  },

  createDelegation: {
    async good(world) {
      const upstreamFileIds = [(await makeFile(world)).id];
      const more = { ...PUBLISHED, folderId: await makeFolder(world), immutable: true, upstreamFileIds };
      return { body: { name: "delegated.txt", sizeBytes: 10, contentType: "text/plain", expiresInSeconds: 60, ...more } };
    },
    scope: "files_write",
    foreign: "same",
  },
  batchDelegatedPartUrls: {
    async good(world) {
      return { body: { ...identifiersOf(await makeDelegation(world)), totalParts: 1, partDigests: { "1": sha256(BYTES) } } };
    },
    foreign: withOtherToken,
    knownTo: "who has its token",
  },
  completeDelegatedMultipart: {
    good: async (world) => ({ body: { ...(await makeUploadedDelegation(world)), fileName: "done.txt", fileSize: 10 } }),
    foreign: withOtherToken,
    knownTo: "who has its token",
  },
  completeDelegation: {
    async good(world) {
      const { delegationToken } = await makeUsedDelegation(world);
      return { body: { delegationToken, sha256: sha256(BYTES) } };
    },
    foreign: async () => ({ body: { delegationToken: "unknown-token" } }),
    knownTo: "who has its token",
  },
} satisfies Partial<Record<OperationName, Example>>;

/** A valid input of every operation, by its `operationId`. The tests of all operations iterate over them. */
export const EXAMPLES: Readonly<Record<OperationName, Example>> = {
  ...ACCOUNT_EXAMPLES,
  ...REQUEST_EXAMPLES,
  ...FILE_EXAMPLES,
  ...UPLOAD_EXAMPLES,
};
