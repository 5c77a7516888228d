import { type BodyLimit, createBodyLimit } from "../transfer/body-limit.ts";
import type { RemoteServer } from "./find-server.ts";
import type { UploadMemory } from "./upload-memory.ts";

/** What earlier commands have found of the proxy in front of a server. It is tried again after some days. */
export const openBodyLimit = async ({ apiUrl }: RemoteServer, memory: UploadMemory): Promise<BodyLimit> =>
  createBodyLimit(await memory.findLimit(apiUrl), (maxBytes) => void memory.saveLimit(apiUrl, maxBytes));
