import { type Example, PUBLISHED } from "./example.ts";
import {
  aFile,
  aFolder,
  arrivedDelegation,
  arrivedSession,
  BYTES,
  type Delegation,
  delegate,
  startImport,
  usedDelegation,
  type World,
} from "./made.ts";
import { init, sha256 } from "./multipart.ts";
import type { Sent } from "./variants.ts";

const intoTheirFolder = async (good: Sent, world: World): Promise<Sent> => ({ body: { ...good.body, folderId: await aFolder(world) } });
const withOtherToken = async (good: Sent, world: World): Promise<Sent> => ({
  body: { ...good.body, delegationToken: (await delegate(world)).delegationToken },
});
const named = ({ delegationToken, uploadId, key }: Delegation) => ({ delegationToken, uploadId, key });

/** Of every road that bytes come in by. */
export const UPLOAD_EXAMPLES: Readonly<Record<string, Example>> = {
  uploadFile: {
    async good(world) {
      const folderId = await aFolder(world);
      return { body: { file: new File(["some bytes"], "a.txt"), ...PUBLISHED, protect: "true", folderId } };
    },
    scope: "files_write",
    foreign: "same",
  },

  initMultipart: {
    async good(world) {
      const folderId = await aFolder(world);
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
      const { session } = await arrivedSession(world);
      return { path: { uploadId: session.uploadId } };
    },
    foreign: "same",
  },
  completeMultipart: {
    async good(world) {
      const { session, parts } = await arrivedSession(world);
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
    foreign: intoTheirFolder,
  },
  initImport: {
    good: async ({ remoteUrl }) => ({ body: { url: remoteUrl, fileName: "imported.txt", ...PUBLISHED } }),
    scope: "files_write",
    foreign: intoTheirFolder,
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
      const upstreamFileIds = [(await aFile(world)).id];
      const more = { ...PUBLISHED, folderId: await aFolder(world), immutable: true, upstreamFileIds };
      return { body: { name: "delegated.txt", sizeBytes: 10, contentType: "text/plain", expiresInSeconds: 60, ...more } };
    },
    scope: "files_write",
    foreign: "same",
  },
  batchDelegatedPartUrls: {
    async good(world) {
      return { body: { ...named(await delegate(world)), totalParts: 1, partDigests: { "1": sha256(BYTES) } } };
    },
    foreign: withOtherToken,
  },
  completeDelegatedMultipart: {
    good: async (world) => ({ body: { ...(await arrivedDelegation(world)), fileName: "done.txt", fileSize: 10 } }),
    foreign: withOtherToken,
  },
  completeDelegation: {
    async good(world) {
      const { delegationToken } = await usedDelegation(world);
      return { body: { delegationToken, sha256: sha256(BYTES) } };
    },
    foreign: async () => ({ body: { delegationToken: "nobody-has-this-token" } }),
  },
};
