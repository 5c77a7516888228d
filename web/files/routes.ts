import type { Route } from "../../src/http/routing/env.ts";
import { get } from "../../src/http/routing/route.ts";
import { downloadOwnFile, showFile, showFilesPage } from "./files.ts";
import { showRunPage, showRunsPage } from "./runs.ts";

/** Routes of the pages with the files of an account. */
export const filesRoutes: readonly Route[] = [
  get("/files", "caller", showFilesPage),
  get("/files/runs", "caller", showRunsPage),
  get("/files/runs/:runId", "caller", showRunPage),
  get("/files/get/:fileId", "caller", downloadOwnFile),
  get("/files/details/:fileId", "caller", showFile),
  get("/files/:folderId", "caller", showFilesPage),
];
