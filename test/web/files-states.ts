import type { FileView, FolderView } from "../../web/files/file-views.ts";
import { type FilesPageProps, renderFilesPage } from "../../web/files/files-page.tsx";
import { renderRunPage, renderRunsPage } from "../../web/files/run-page.tsx";
import type { PageContext } from "../../web/site/page-context.ts";

const NOW_MS = Date.UTC(2026, 10, 20, 12, 0);

const aFile = (over: Partial<FileView> = {}): FileView => ({
  id: "5hQ2vR8kLm3xTz0B",
  shortId: "7kXq9Zab",
  shareUrl: "https://files.example.org/d/7kXq9Zab",
  sharePath: "/d/7kXq9Zab",
  name: "Harbour at dusk.jpg",
  size: 3_412_000,
  mimeType: "image/jpeg",
  encrypted: false,
  createdAt: "2026-11-19T12:00:00Z",
  expiresAt: "2026-11-23T12:00:00Z",
  scanStatus: "clean",
  failureReason: null,
  isBlocklisted: false,
  status: "active",
  folderId: null,
  visibility: "unlisted",
  unlockRequired: false,
  immutable: false,
  thumbnailUrl: null,
  runId: null,
  linkCount: 1,
  links: [],
  ...over,
});

const aFolder = (over: Partial<FolderView> = {}): FolderView => ({
  id: "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e",
  name: "Reports",
  parent_id: null,
  file_count: 12,
  folder_count: 2,
  total_size: 48_213,
  created_at: "2025-11-19T12:00:00Z",
  updated_at: "2025-11-19T12:00:00Z",
  ...over,
});

const aRun = (runId: string) => ({ runId, files: 12, size: 48_213, updatedAt: "2026-11-20T11:00:00Z" });

/** The states of the pages of an account's files. */
export function filesPages(context: PageContext, hostile: string): Record<string, string> {
  const page = { ...context, path: "/files", person: { name: hostile } };
  const list = (files: readonly FileView[], folders: readonly FolderView[] = [], over: Partial<FilesPageProps> = {}): string =>
    renderFilesPage(page, {
      query: { folderId: null, search: "", sort: "created", order: "desc" },
      listing: {
        files: files.map((file, index) => ({ ...file, id: `file${index}` })),
        folders: folders.map((folder, index) => ({ ...folder, id: `folder${index}` })),
        path: [],
        parents: [],
        total: files.length,
      },
      pageNumber: 1,
      view: "table",
      nowMs: NOW_MS,
      maxBytes: 1024 ** 3,
      accountId: "5hQ2vR8kLm3xTz0A",
      hasRuns: true,
      ...over,
    });
  const files = [
    aFile(),
    aFile({ name: hostile, unlockRequired: true, visibility: "public", immutable: true, expiresAt: null }),
    aFile({ scanStatus: "scanning", expiresAt: "2026-11-20T14:00:00Z" }),
    aFile({ scanStatus: "unavailable", failureReason: "infected" }),
    aFile({ scanStatus: "unavailable", failureReason: "digest_mismatch" }),
    aFile({ scanStatus: "unavailable", failureReason: "scan_failed", isBlocklisted: true }),
    aFile({ status: "dmca_removed" }),
    aFile({ status: "expired" }),
    aFile({ expiresAt: "2026-11-20T14:00:00Z", createdAt: "2026-11-20T11:00:00Z" }),
  ];
  const inFolder = {
    files,
    folders: [aFolder()],
    path: [
      { id: "folder7", name: hostile },
      { id: "folder8", name: "Reports" },
    ],
    parents: [{ id: "folder7", name: hostile }],
  };
  return {
    filesList: list(files, [aFolder(), aFolder({ name: hostile })]),
    filesGrid: list(files, [aFolder()], { view: "grid" }),
    filesFolder: list([], [], {
      query: { folderId: "folder8", search: "", sort: "name", order: "asc" },
      listing: { ...inFolder, total: files.length },
    }),
    filesSearch: list([], [], {
      query: { folderId: null, search: hostile, sort: "size", order: "desc" },
      listing: { ...inFolder, files: [aFile({ folderId: "folder7" })], path: [], total: 1 },
    }),
    filesEmpty: list([]),
    filesRun: renderRunPage(page, { runId: hostile, files, total: 1_234, pageNumber: 2, nowMs: NOW_MS }),
    filesRuns: renderRunsPage(page, { runs: [aRun("build-42"), aRun(hostile)], total: 250, pageNumber: 1, nowMs: NOW_MS }),
    filesRunsNone: renderRunsPage(page, { runs: [], total: 0, pageNumber: 1, nowMs: NOW_MS }),
  };
}
