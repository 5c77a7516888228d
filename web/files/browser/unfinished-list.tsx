/** @jsxImportSource preact */
/** The unfinished uploads into folders, each with buttons that continue or discard it. */
import { useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { sending as sendingTexts, send as sendTexts } from "#texts/sending";
import { toChosenFile } from "../../sending/browser/chosen-files.ts";
import { ContinueField } from "../../sending/browser/continue-field.tsx";
import { size } from "../../site/browser/components/format.ts";
import { FileName, FileTile } from "../../site/file-name.tsx";
import { FILES_PATH } from "../file-views.ts";
import type { UnfinishedUpload } from "./unfinished-uploads.ts";
import type { FolderUpload } from "./use-folder-upload.ts";

export function UnfinishedList({ sending }: { readonly sending: FolderUpload }) {
  if (sending.unfinished.length === 0) return null;
  return (
    <section class="card recent files-unfinished" aria-labelledby="unfinished-title">
      <h2 id="unfinished-title">{texts.unfinished}</h2>
      <ul class="files">
        {sending.unfinished.map((upload) => (
          <Unfinished key={upload.share.shortId} upload={upload} sending={sending} />
        ))}
      </ul>
    </section>
  );
}

function Unfinished({ upload, sending }: { readonly upload: UnfinishedUpload; readonly sending: FolderUpload }) {
  const [problem, setProblem] = useState("");
  const { share, files, bytes } = upload;
  const { folderId } = share.folder;
  const first = files[0]?.path ?? "";
  const isMany = files.length > 1;
  const isFolder = isMany && files.every(({ path }) => path.includes("/"));
  const choose = async (chosen: readonly File[]): Promise<void> => {
    if (chosen.length > 0 && !(await sending.resume(upload, chosen.map(toChosenFile)))) setProblem(sendingTexts.notSame);
  };
  return (
    <li>
      <FileTile name={first} />
      <div class="what">
        <p class="name">
          <a href={folderId === null ? FILES_PATH : `${FILES_PATH}/${encodeURIComponent(folderId)}`}>
            <FileName name={isMany ? sendingTexts.andMore(first, files.length - 1) : first} />
          </a>
        </p>
        <p class="quiet">{sendingTexts.unfinished(`${sendTexts.files(files.length)}, ${size(bytes)}`)}</p>
      </div>
      <div class="recent-more">
        <div class="choices">
          <ContinueField isFolder={isFolder} isMany={isMany} onChoose={(files) => void choose(files)} />
          <button class="button small" type="button" onClick={() => void sending.discard(upload)}>
            {sendingTexts.confirmCancel}
          </button>
        </div>
        {problem ? (
          <p class="problem" role="alert">
            {problem}
          </p>
        ) : null}
      </div>
    </li>
  );
}
