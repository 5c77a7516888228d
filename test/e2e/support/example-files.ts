import type { Example } from "./example.ts";
import { aFile, aFolder, anAnonymousFile } from "./made.ts";

const FOR_ANYONE = { none: "whoever has the link may" };

/** Of files and folders, and of their shares. */
export const FILE_EXAMPLES: Readonly<Record<string, Example>> = {
  deleteFile: { good: async (world) => ({ query: { fileId: (await aFile(world)).id } }), scope: "files_write", foreign: "same" },
  listFiles: {
    good: async (world) => ({ query: { page: "1", limit: "50", folderId: await aFolder(world), includeFolders: "true" } }),
    scope: "files_read",
    foreign: "same",
  },
  listRun: {
    async good(world) {
      await aFile(world, { runId: "run-2" });
      return { path: { runId: "run-2" }, query: { limit: "10" } };
    },
    scope: "files_read",
    foreign: { none: "a run of that name is another one in each account" },
  },
  getFileInfo: { good: async (world) => ({ query: { file_code: (await aFile(world)).shortCode } }), keyless: true, foreign: FOR_ANYONE },
  listDownloadEvents: {
    good: async (world) => ({ path: { fileId: (await aFile(world)).id }, query: { limit: "10", cursor: "2020-01-01T00:00:00Z" } }),
    scope: "files_read",
    foreign: "same",
  },

  listFolders: {
    good: async (world) => ({ query: { parentId: await aFolder(world), search: "fold", page: "1", limit: "10" } }),
    scope: "files_read",
    foreign: "same",
  },
  createFolder: {
    good: async (world) => ({ body: { name: "Inside", parentId: await aFolder(world) } }),
    scope: "files_write",
    foreign: "same",
  },
  changeFolder: {
    good: async (world) => ({
      path: { id: await aFolder(world, "To be moved") },
      body: { name: "Moved", parentId: await aFolder(world) },
    }),
    scope: "files_write",
    foreign: "same",
  },
  deleteFolder: { good: async (world) => ({ path: { id: await aFolder(world) } }), scope: "files_write", foreign: "same" },

  claimFile: {
    async good(world) {
      const { id, claimToken } = await anAnonymousFile(world);
      return { body: { fileId: id, claimToken } };
    },
    scope: "files_write",
    foreign: async (good, world) => ({ body: { ...good.body, fileId: (await aFile(world)).id } }),
  },
  setLinkProtection: {
    async good(world) {
      const { id, claimToken } = await anAnonymousFile(world);
      return { body: { fileId: id, claimToken, protect: true, handoffMessage: "Here it is." } };
    },
    foreign: async (good, world) => ({ body: { ...good.body, fileId: (await anAnonymousFile(world)).id } }),
  },
  updateShareSettings: {
    good: async (world) => ({ body: { fileId: (await aFile(world)).id, visibility: "public", extendTtl: "2d", protect: true } }),
    scope: "files_write",
    foreign: "same",
  },

  getShare: { good: async (world) => ({ path: { shortId: (await aFile(world)).shortId } }), foreign: FOR_ANYONE },
  authorizeArchive: {
    async good(world) {
      const { shortId, unlockCode = "" } = await aFile(world, { protect: "true" });
      return { path: { shortId }, query: { unlockCode } };
    },
    keyless: true,
    foreign: async ({ path }) => ({ path }),
  },
  authorizeDownload: {
    async good(world) {
      const { id, unlockCode = "" } = await aFile(world, { protect: "true" });
      return { path: { fileId: id }, query: { unlockCode } };
    },
    keyless: true,
    foreign: async ({ path }) => ({ path }),
  },
  unlockDownload: {
    async good(world) {
      const { shortId, unlockCode } = await aFile(world, { protect: "true" });
      return { body: { shortId, unlockCode } };
    },
    foreign: async (good, world) => ({ body: { ...good.body, shortId: (await aFile(world, { protect: "true" })).shortId } }),
  },
  getHandoff: {
    async good(world) {
      const { handoffUrl = "" } = await aFile(world, { protect: "true" });
      return { path: { token: handoffUrl.replace(/^.*\/h\//, "") } };
    },
    foreign: FOR_ANYONE,
  },
};
