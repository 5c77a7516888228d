import type { RequestContext } from "../../src/context.ts";
import { MAX_PAGE_FORM_FILES } from "../../src/contract/scalars.ts";
import { AppError, notFound } from "../../src/errors.ts";
import { isForm } from "../../src/http/reading/form.ts";
import { formStream } from "../../src/http/reading/form-stream.ts";
import { readPageForm } from "../../src/http/reading/read-body.ts";
import { pageContext } from "../../src/http/responding/page-context.ts";
import { describeError, redirect, respondPage } from "../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../src/http/routing/env.ts";
import { countAs } from "../../src/http/routing/operation-routes.ts";
import { downloadsContract } from "../../src/service/downloads/contract.ts";
import type { Refusal } from "../../src/service/files/change-each.ts";
import { filesContract, IDS_PER_REQUEST } from "../../src/service/files/contract.ts";
import { foldersContract } from "../../src/service/files/folders-contract.ts";
import { listingContract } from "../../src/service/files/listing-contract.ts";
import { operations } from "../../src/service/operations.ts";
import { parseInput } from "../../src/service/parse-input.ts";
import { storeForm } from "../../src/service/uploads/store-form.ts";
import { withPerson } from "../account/signed-in.ts";
import { askToForce } from "../sale/ask-to-force.ts";
import { errorText } from "../site/error-text.ts";
import {
  type ActionPageProps,
  type ChosenEntries,
  renderDeletePage,
  renderMovePage,
  renderRenamePage,
  renderShareChosenPage,
} from "./action-page.tsx";
import { filesPath, folderOf, respondFiles } from "./files.ts";
import { listFolderPaths } from "./folder-paths.ts";

/** Enough for the IDs of a page's files and folders. */
const MAX_FORM_BYTES = 128 * 1024;

interface Form {
  readonly chosen: ChosenEntries;
  readonly fields: URLSearchParams;
}

type Act = (c: HttpContext, call: RequestContext, form: Form) => Promise<Response>;

/** `POST /files` and `POST /files/:folderId`, by the forms of that page: uploads files, or acts on folders and chosen entries. */
export const changeFilesPage = (c: HttpContext): Promise<Response> =>
  withPerson(c, async (call) => {
    let fields: URLSearchParams | undefined;
    try {
      if (isForm(c.req.header("content-type") ?? "")) return await uploadHere(c, call);
      fields = await readPageForm(c, call, MAX_FORM_BYTES);
      const chosen = { fileIds: fields.getAll("file"), folderIds: fields.getAll("folder") };
      const name = fields.get("action") ?? "";
      if (name === "createFolder") return await createFolder(c, call, fields);
      const act = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
      if (act === undefined) return redirect(c, 303, filesPath(c));
      if (countOf(chosen) > 0) return await act(c, call, { chosen, fields });
      return await respondFiles(c, call, { problem: pageContext(c).texts.files.nothingChosen });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === "HAS_BUYERS" && fields) return await askToForce(c, error, { path: filesPath(c), fields, back: filesPath(c) });
      return await respondFiles(c, call, { problem: describeError(pageContext(c), error) }, error);
    }
  });

/** The files get one link, as in the script's uploads. */
async function uploadHere(c: HttpContext, call: RequestContext): Promise<Response> {
  const { ctx } = c.env;
  const folderId = folderOf(c);
  const read = formStream(c, call, MAX_PAGE_FORM_FILES, { outer: folderId === null ? {} : { folderId } });
  await ctx.transfers.run({ quotaOwner: call.actor.quotaOwner }, () => storeForm(ctx, call, read, { inOneShare: true }));
  return redirect(c, 303, `${filesPath(c)}?done=uploaded`);
}

async function createFolder(c: HttpContext, call: RequestContext, fields: URLSearchParams): Promise<Response> {
  const input = foldersContract.createFolder.input.safeParse({ name: fields.get("name") ?? "", parentId: folderOf(c) });
  if (!input.success) return redirect(c, 303, filesPath(c));
  await operations.createFolder(c.env.ctx, call, input.data);
  return redirect(c, 303, filesPath(c));
}

const askDelete: Act = async (c, call, { chosen }) =>
  respondPage(c, { html: renderDeletePage(pageContext(c), await toProps(c, call, chosen)) });

/** Deletes what can be deleted. Files with buyers are asked about once more. */
const deleteChosen: Act = async (c, call, { chosen: { fileIds, folderIds }, fields }) => {
  const { ctx } = c.env;
  const page = pageContext(c);
  const folders = [...new Set(folderIds)];
  const input = fileIds.length > 0 ? parseInput(filesContract.deleteFiles.input, { fileIds, force: fields.has("force") }) : undefined;
  countAs(c, call, Math.ceil(fileIds.length / IDS_PER_REQUEST) + folders.length);
  const refused: { readonly errorCode: string; readonly error: string }[] = [];
  const refusedFiles = input ? (await operations.deleteFiles(ctx, call, input)).refused : [];
  const sold = refusedFiles.filter(({ errorCode }) => errorCode === "HAS_BUYERS");
  refused.push(...refusedFiles);
  for (const id of folders) {
    try {
      await operations.deleteFolder(ctx, call, { id });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refused.push({ errorCode: error.code, error: error.message });
    }
  }
  if (sold.length > 0) return await askToDeleteSold(c, sold);
  const [first] = refused;
  if (first === undefined) return await respondFiles(c, call, { done: page.texts.files.deleted(fileIds.length + folders.length) });
  const reason = errorText(page.texts.errors, page.language, first) ?? first.error;
  const problem = `${page.texts.files.notDeleted(refused.length)} ${reason}`;
  const isUnknown = refused.every(({ errorCode }) => errorCode === "NOT_FOUND");
  return await respondFiles(c, call, { problem }, new AppError(isUnknown ? "NOT_FOUND" : "CONFLICT", problem));
};

function askToDeleteSold(c: HttpContext, sold: readonly Pick<Refusal, "id" | "error" | "buyers">[]): Promise<Response> {
  const [only, ...others] = sold;
  const buyers = others.length === 0 ? only?.buyers : undefined;
  const fields = [["action", "delete"] as const, ...sold.map(({ id }) => ["file", id] as const)];
  const error = new AppError("HAS_BUYERS", only?.error ?? "", { fields: buyers === undefined ? {} : { buyers } });
  return askToForce(c, error, { path: filesPath(c), fields, back: filesPath(c) });
}

const askMove: Act = async (c, call, { chosen }) => {
  const folders = await listFolderPaths(c, call, chosen.folderIds);
  return await respondPage(c, { html: renderMovePage(pageContext(c), { ...(await toProps(c, call, chosen)), folders }) });
};

const moveChosen: Act = async (c, call, { chosen: { fileIds, folderIds }, fields }) => {
  const input = parseInput(filesContract.moveFiles.input, { fileIds, folderIds, folderId: fields.get("to") || null });
  countAs(c, call, Math.ceil((fileIds.length + folderIds.length) / IDS_PER_REQUEST));
  const { files, folders } = await operations.moveFiles(c.env.ctx, call, input);
  return await respondFiles(c, call, { done: pageContext(c).texts.files.moved(files + folders) });
};

const askRename: Act = async (c, call, { chosen }) => {
  if (countOf(chosen) > 1) return await respondFiles(c, call, { problem: pageContext(c).texts.files.chooseOne });
  return await respondPage(c, { html: renderRenamePage(pageContext(c), await toProps(c, call, chosen)) });
};

const renameChosen: Act = async (c, call, { chosen: { fileIds, folderIds }, fields }) => {
  const { ctx } = c.env;
  const name = fields.get("name")?.trim() ?? "";
  const [fileId] = fileIds;
  if (fileId === undefined)
    await operations.changeFolder(ctx, call, parseInput(foldersContract.changeFolder.input, { id: folderIds[0], name }));
  else await operations.changeFile(ctx, call, parseInput(filesContract.changeFile.input, { fileId, name }));
  return await respondFiles(c, call, { done: pageContext(c).texts.files.renamed });
};

/** Redirects to the URL of a ZIP. */
const archiveChosen: Act = async (c, call, { chosen: { fileIds, folderIds } }) => {
  const { url } = await operations.archiveFiles(c.env.ctx, call, parseInput(downloadsContract.archiveFiles.input, { fileIds, folderIds }));
  return redirect(c, 303, url);
};

const askShare: Act = async (c, call, { chosen }) =>
  respondPage(c, { html: renderShareChosenPage(pageContext(c), await toProps(c, call, chosen)) });

const shareChosen: Act = async (c, call, { chosen, fields }) => {
  const { fileIds, folderIds } = chosen;
  const title = (fields.get("title") ?? "").trim().slice(0, 120);
  const input = parseInput(filesContract.shareFiles.input, {
    fileIds,
    folderIds,
    move: true,
    force: fields.has("force"),
    ...(title !== "" && { title }),
  });
  const { shareUrl } = await operations.shareFiles(c.env.ctx, call, input);
  return await respondPage(c, { html: renderShareChosenPage(pageContext(c), { chosen, back: filesPath(c), shareUrl }) });
};

const ACTIONS: Readonly<Record<string, Act>> = {
  askDelete,
  delete: deleteChosen,
  askMove,
  move: moveChosen,
  askRename,
  rename: renameChosen,
  archive: archiveChosen,
  askShare,
  share: shareChosen,
};

const countOf = ({ fileIds, folderIds }: ChosenEntries): number => fileIds.length + folderIds.length;

/** What a question shows. Throws NOT_FOUND for the only entry, if it is not the account's. */
async function toProps(c: HttpContext, call: RequestContext, chosen: ChosenEntries): Promise<ActionPageProps> {
  const back = filesPath(c);
  if (countOf(chosen) > 1) return { chosen, back };
  const { name } =
    chosen.fileIds[0] === undefined
      ? await getFolder(c, call, chosen.folderIds[0] ?? "")
      : await operations.getFile(c.env.ctx, call, { fileId: chosen.fileIds[0] });
  return { chosen: { ...chosen, name }, back };
}

async function getFolder(c: HttpContext, call: RequestContext, id: string): Promise<{ readonly name: string }> {
  const input = listingContract.listFiles.input.safeParse({ folderId: id, limit: 1, includeFolders: false });
  const list = input.success ? await operations.listFiles(c.env.ctx, call, input.data) : undefined;
  const folder = list && "path" in list.data ? list.data.path?.at(-1) : undefined;
  if (!folder) throw notFound("folder", "List your folders to find its ID.", "in your account");
  return folder;
}
