import type { Route } from "../../src/http/routing/env.ts";
import { get, post } from "../../src/http/routing/route.ts";
import { changeDetailsPage, showDetailsPage } from "./details.ts";
import { downloadOwnFile, showFilesPage } from "./files.ts";
import { changeFilesPage } from "./files-forms.ts";
import { showRunPage, showRunsPage } from "./runs.ts";

/** The files of an account. */
export const filesRoutes: readonly Route[] = [
  get("/files", "caller", showFilesPage),
  post("/files", "caller", changeFilesPage),
  get("/files/runs", "caller", showRunsPage),
  get("/files/runs/:runId", "caller", showRunPage),
  get("/files/get/:fileId", "caller", downloadOwnFile),
  get("/files/details/:fileId", "caller", showDetailsPage),
  post("/files/details/:fileId", "caller", changeDetailsPage),
  get("/files/:folderId", "caller", showFilesPage),
  post("/files/:folderId", "caller", changeFilesPage),
];
