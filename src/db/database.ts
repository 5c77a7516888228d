import { type Kysely, sql, type Transaction } from "kysely";
import type { ApiKeyTable, ChallengeTable, QuotaTable, RateWindowTable, UserTable } from "./tables/accounts.ts";
import type { AuditLogTable } from "./tables/audit-log.ts";
import type { DownloadGrantTable, OwnerArchiveTable } from "./tables/downloads.ts";
import type { EventTable, WebhookDeliveryTable, WebhookEndpointTable } from "./tables/events.ts";
import type { DailyFigureTable } from "./tables/figures.ts";
import type { FileLineageTable, FileTable, WithdrawalTable, WithdrawnFileTable } from "./tables/files.ts";
import type { FolderTable, FolderTotalTable } from "./tables/folders.ts";
import type { ImportTable } from "./tables/imports.ts";
import type { JobKeyTable, JobTable, ScheduleRunTable } from "./tables/jobs.ts";
import type { MailTable } from "./tables/mail.ts";
import type { McpCancellationTable, McpQuestionTable, McpSessionTable } from "./tables/mcp.ts";
import type { AwaitedBlockTable, BlockedDigestTable, ReportTable } from "./tables/moderation.ts";
import type { NoticeSettingsTable, NoticeTable } from "./tables/notices.ts";
import type {
  DeviceCodeTable,
  OAuthAccessTokenTable,
  OAuthClientTable,
  OAuthConsentTable,
  OAuthRefreshTokenTable,
} from "./tables/oauth.ts";
import type { BlockedAddressTable, RecipientLinkTable, ShareRecipientTable } from "./tables/recipients.ts";
import type { RequestSubmissionTable, RequestTable } from "./tables/requests.ts";
import type {
  AuthenticatorTable,
  PasskeyChallengeTable,
  PasskeyTable,
  PendingSignInTable,
  RecoveryCodeTable,
} from "./tables/second-factors.ts";
import type { PurchaseDownloadTable, PurchaseTable, SellerTable, SubscriptionTable } from "./tables/selling.ts";
import type {
  IdempotentRequestTable,
  RunTimeSettingTable,
  ServerInstanceTable,
  ServerStateTable,
  UnknownBlobTable,
} from "./tables/servers.ts";
import type { ShareTable } from "./tables/shares.ts";
import type {
  AccountLinkTable,
  InviteTable,
  ProviderFlowTable,
  SessionTable,
  SignInMethodTable,
  VerificationTable,
} from "./tables/sign-in.ts";
import type { ExpectedPartTable, UploadDelegationTable, UploadPartTable, UploadSessionTable } from "./tables/uploads.ts";

/** The tables after all migrations. Times are milliseconds since 1970, sizes bytes, booleans 0 or 1. */
export interface Schema {
  users: UserTable;
  sellers: SellerTable;
  subscriptions: SubscriptionTable;
  purchases: PurchaseTable;
  purchase_downloads: PurchaseDownloadTable;
  api_keys: ApiKeyTable;
  folders: FolderTable;
  shares: ShareTable;
  files: FileTable;
  file_lineage: FileLineageTable;
  withdrawals: WithdrawalTable;
  withdrawn_files: WithdrawnFileTable;
  quotas: QuotaTable;
  server_instances: ServerInstanceTable;
  upload_sessions: UploadSessionTable;
  upload_parts: UploadPartTable;
  expected_parts: ExpectedPartTable;
  daily_figures: DailyFigureTable;
  download_grants: DownloadGrantTable;
  owner_archives: OwnerArchiveTable;
  events: EventTable;
  jobs: JobTable;
  job_keys: JobKeyTable;
  schedule_runs: ScheduleRunTable;
  idempotent_requests: IdempotentRequestTable;
  server_state: ServerStateTable;
  unknown_blobs: UnknownBlobTable;
  upload_delegations: UploadDelegationTable;
  rate_windows: RateWindowTable;
  imports: ImportTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
  challenges: ChallengeTable;
  folder_totals: FolderTotalTable;
  awaited_blocks: AwaitedBlockTable;
  blocked_digests: BlockedDigestTable;
  reports: ReportTable;
  sessions: SessionTable;
  mcp_cancellations: McpCancellationTable;
  mcp_questions: McpQuestionTable;
  mcp_sessions: McpSessionTable;
  oauth_clients: OAuthClientTable;
  oauth_consents: OAuthConsentTable;
  oauth_refresh_tokens: OAuthRefreshTokenTable;
  oauth_access_tokens: OAuthAccessTokenTable;
  device_codes: DeviceCodeTable;
  authenticators: AuthenticatorTable;
  recovery_codes: RecoveryCodeTable;
  passkey_challenges: PasskeyChallengeTable;
  passkeys: PasskeyTable;
  pending_sign_ins: PendingSignInTable;
  sign_in_methods: SignInMethodTable;
  invites: InviteTable;
  provider_flows: ProviderFlowTable;
  verifications: VerificationTable;
  account_links: AccountLinkTable;
  requests: RequestTable;
  request_submissions: RequestSubmissionTable;
  audit_log: AuditLogTable;
  mails: MailTable;
  notices: NoticeTable;
  notice_settings: NoticeSettingsTable;
  share_recipients: ShareRecipientTable;
  recipient_links: RecipientLinkTable;
  blocked_addresses: BlockedAddressTable;
  run_time_settings: RunTimeSettingTable;
}

/** A database, or one transaction of it. Outside a transaction, reads do not wait for writes. */
export type Db = Kysely<Schema>;

/** An open transaction, where several statements take effect together. A plain `Db` is not one. */
export type TransactionDb = Transaction<Schema>;

/** The time of the database's clock, in milliseconds since 1970. */
export const DATABASE_TIME = sql<number>`CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)`;

export type DatabaseTime = typeof DATABASE_TIME;

export interface Database extends AsyncDisposable {
  /** Whether the database has another machine's clock, as a database server does. */
  readonly hasOwnClock: boolean;
  /** The database for reads, and for single statements, each of which is a transaction. */
  readonly db: Db;
  /**
   * Runs `work` in one transaction and resolves once it is durable. If `work` throws, rolls back and rejects with the same error.
   * Concurrent transactions share one commit. Inside `work`, use only the database that it receives: the outer `db` throws.
   */
  transaction<T>(work: (transaction: TransactionDb) => Promise<T>): Promise<T>;
  /** For local files: keeps space inside the database's own files in case other programs fill the disk (disk space, "A disk that others fill"). */
  keepReserve?(): Promise<void>;
  /** Rejects if the database does not respond. */
  ping(): Promise<void>;
}
