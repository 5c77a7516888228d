import type { ApiKeyTable, ChallengeTable, QuotaTable, RateWindowTable, UserTable } from "./tables/accounts.ts";
import type { EventTable, WebhookDeliveryTable, WebhookEndpointTable } from "./tables/events.ts";
import type { DownloadGrantTable, FileLineageTable, FileTable, FolderTable, FolderTotalTable, ShareTable } from "./tables/files.ts";
import type { CronSlotTable, IdempotencyTable, InstanceTable, JobKeyTable, JobTable, SettingTable } from "./tables/processes.ts";
import type { AnnouncedPartTable, DelegationTable, ImportTable, UploadPartTable, UploadSessionTable } from "./tables/uploads.ts";

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
  job_keys: JobKeyTable;
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
