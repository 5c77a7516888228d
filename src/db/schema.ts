import type { Generated, Insertable, Selectable } from "kysely";

/** The tables as `migrations/` leave them. Times are milliseconds since 1970, sizes bytes, booleans 0 or 1. */
export interface Schema {
  users: UserTable;
  api_keys: ApiKeyTable;
  folders: FolderTable;
  shares: ShareTable;
  files: FileTable;
  file_lineage: FileLineageTable;
  quotas: QuotaTable;
  instances: InstanceTable;
  upload_sessions: UploadSessionTable;
  upload_parts: UploadPartTable;
  announced_parts: AnnouncedPartTable;
  download_grants: DownloadGrantTable;
  events: EventTable;
  jobs: JobTable;
  cron_slots: CronSlotTable;
  idempotency: IdempotencyTable;
  settings: SettingTable;
  delegations: DelegationTable;
  rate_windows: RateWindowTable;
  imports: ImportTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_deliveries: WebhookDeliveryTable;
  challenges: ChallengeTable;
  folder_totals: FolderTotalTable;
}

export interface UserTable {
  id: string;
  name: string;
  email: string;
  email_verified: Generated<number>;
  image: string | null;
  username: string | null;
  role: Generated<"user" | "admin" | "agent">;
  tier: Generated<"free" | "pro">;
  pro_until: number | null;
  disabled_at: number | null;
  /** Of agents: names the address that they registered from, whose agents share one quota. */
  agent_group: string | null;
  created_at: number;
  updated_at: number;
}

export interface ApiKeyTable {
  id: string;
  owner_id: string;
  prefix: string;
  salt: string;
  hash: string;
  label: string | null;
  scope: "files_read" | "files_write" | "full";
  bootstrap: Generated<number>;
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

export interface FolderTable {
  id: string;
  owner_id: string;
  parent_id: string | null;
  name: string;
  created_at: number;
  updated_at: number;
}

export interface ShareTable {
  short_id: string;
  kind: "file" | "shipment";
  owner_id: string | null;
  name: string;
  status: Generated<"active" | "expired" | "deleted" | "dmca_removed">;
  visibility: Generated<"unlisted" | "public">;
  direct: Generated<number>;
  retention: Generated<"ttl" | "forever">;
  expires_at: number | null;
  expiry_chosen: Generated<number>;
  once: Generated<number>;
  max_downloads: number | null;
  unlock_hash: string | null;
  handoff_hash: string | null;
  handoff_message: string | null;
  generation: Generated<number>;
  price_cents: number | null;
  redirect_to: string | null;
  created_at: number;
}

export interface FileTable {
  id: string;
  short_id: string;
  owner_id: string | null;
  quota_owner: string;
  folder_id: string | null;
  run_id: string | null;
  name: string;
  relative_path: string | null;
  size_bytes: number;
  content_type: string;
  sha256: string | null;
  expected_sha256: string | null;
  blob_key: string;
  blob_state: "uploading" | "stored" | "quarantined" | "removing" | "gone";
  scan_status: "pending" | "scanning" | "clean" | "unavailable";
  scan_reason: "infected" | "scan_failed" | null;
  scan_coverage: "whole" | "windowed" | "none" | null;
  scan_detail: string | null;
  scanned_at: number | null;
  status: Generated<"active" | "expired" | "deleted" | "dmca_removed">;
  immutable: Generated<number>;
  download_count: Generated<number>;
  claim_hash: string | null;
  deletion_hash: string | null;
  created_at: number;
  ended_at: number | null;
  purge_at: number | null;
}

export interface FileLineageTable {
  file_id: string;
  upstream_id: string;
}

export interface QuotaTable {
  owner: string;
  used_bytes: Generated<number>;
  reserved_bytes: Generated<number>;
}

export interface InstanceTable {
  id: string;
  host: string;
  pid: number;
  process_started: string | null;
  lease_until: number;
}

export interface UploadSessionTable {
  id: string;
  key: string;
  kind: "stream" | "multipart";
  state: "open" | "completing" | "completed";
  file_id: string;
  quota_owner: string;
  reserved_bytes: number;
  size_bytes: number | null;
  part_size: number | null;
  total_parts: number | null;
  blob_key: string;
  staged_ref: string | null;
  publish: Generated<string>;
  holder: string | null;
  result: string | null;
  last_byte_at: number;
  created_at: number;
  completed_at: number | null;
}

export interface UploadPartTable {
  session_id: string;
  part_number: number;
  size_bytes: number;
  sha256: string;
  etag: string;
}

export interface AnnouncedPartTable {
  file_id: string;
  part_number: number;
  size_bytes: number;
  /** Where it begins in the whole. */
  start_byte: number;
  sha256: string;
}

export interface DownloadGrantTable {
  id: string;
  file_id: string;
  budget_bytes: number;
  delivered: Generated<string>;
  completed_at: number | null;
  expires_at: number;
}

export interface EventTable {
  id: string;
  type: string;
  file_id: string;
  short_id: string;
  owner_id: string | null;
  data: string;
  route: string | null;
  client_class: string | null;
  created_at: number;
  dispatched_at: number | null;
}

export interface JobTable {
  id: string;
  kind: string;
  subject: string;
  payload: Generated<string>;
  run_at: number;
  attempts: Generated<number>;
  lease_holder: string | null;
  lease_until: number | null;
  last_error: string | null;
  created_at: number;
}

export interface CronSlotTable {
  name: string;
  slot: number;
}

export interface IdempotencyTable {
  caller: string;
  route: string;
  key_hash: string;
  body_digest: string | null;
  holder: string | null;
  lease_until: number | null;
  response: string | null;
  created_at: number;
}

export interface SettingTable {
  name: string;
  value: string;
}

export interface DelegationTable {
  id: string;
  token_hash: string;
  owner_id: string;
  key_id: string;
  quota_owner: string;
  name: string | null;
  content_type: string | null;
  size_bytes: number | null;
  publish: string;
  immutable: Generated<number>;
  upstream: Generated<string>;
  short_id: string;
  session_key: string;
  upload_id_hash: string;
  unlock_hash: string | null;
  handoff_hash: string | null;
  result: string | null;
  file_id: string | null;
  created_at: number;
  expires_at: number;
}

export interface RateWindowTable {
  name: string;
  subject: string;
  count: number;
  resets_at: number;
}

export interface ChallengeTable {
  id: string;
  subject: string;
  difficulty: number;
  expires_at: number;
  used_at: number | null;
}

/** Kept by triggers: how many files of a folder are listed, and their bytes. `folder_id` is empty for what is in no folder. */
export interface FolderTotalTable {
  owner_id: string;
  folder_id: string;
  file_count: number;
  total_bytes: number;
}

export type DelegationRow = Selectable<DelegationTable>;
export type UserRow = Selectable<UserTable>;
export type ApiKeyRow = Selectable<ApiKeyTable>;
export type NewApiKeyRow = Insertable<ApiKeyTable>;
export type FolderRow = Selectable<FolderTable>;
export type ChallengeRow = Selectable<ChallengeTable>;
export interface WebhookEndpointTable {
  id: string;
  owner_id: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: Generated<"active" | "paused">;
  paused_reason: string | null;
  failed_attempts: Generated<number>;
  failed_events: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveryTable {
  id: string;
  endpoint_id: string;
  event_id: string;
  type: string;
  body: string;
  status: Generated<"pending" | "delivered" | "failed">;
  by_hand: Generated<number>;
  attempts: Generated<number>;
  failures: Generated<number>;
  response_status: number | null;
  error: string | null;
  next_attempt_at: number | null;
  created_at: number;
  delivered_at: number | null;
}

export interface ImportTable {
  id: string;
  secret_hash: string;
  owner_id: string | null;
  key_id: string | null;
  quota_owner: string;
  /** Encrypted: it may be a signed link. */
  url: string;
  file_name: string | null;
  publish: string;
  /** Of an anonymous import, for the file that it will make. */
  claim_hash: string | null;
  deletion_hash: string | null;
  status: "queued" | "importing" | "completed" | "failed" | "cancelled";
  phase: string;
  bytes_done: Generated<number>;
  bytes_total: number | null;
  name: string | null;
  /** The upload that holds what has arrived. */
  session_id: string | null;
  /** What a range is asked for with, where the source allows ranges. */
  validator: string | null;
  failures: Generated<number>;
  file_id: string | null;
  short_id: string | null;
  /** Encrypted: unlock code and delivery link of a protected share. */
  credentials: string | null;
  error: string | null;
  error_code: string | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
}

export type ImportRow = Selectable<ImportTable>;
export type NewImport = Insertable<ImportTable>;
export type ShareRow = Selectable<ShareTable>;
export type FileRow = Selectable<FileTable>;
export type UploadSessionRow = Selectable<UploadSessionTable>;
export type UploadPartRow = Selectable<UploadPartTable>;
export type AnnouncedPartRow = Selectable<AnnouncedPartTable>;
export type DownloadGrantRow = Selectable<DownloadGrantTable>;
export type EventRow = Selectable<EventTable>;
export type JobRow = Selectable<JobTable>;
export type NewUploadSession = Insertable<UploadSessionTable>;
export type WebhookEndpointRow = Selectable<WebhookEndpointTable>;
export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;
export type NewWebhookEndpoint = Insertable<WebhookEndpointTable>;
