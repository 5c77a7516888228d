/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { FileName, FileTile } from "../site/file-name.tsx";
import { fullName } from "../site/format.ts";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import type { FolderChoice } from "./file-views.ts";

/** Files and folders that a form names. */
export interface ChosenEntries {
  readonly fileIds: readonly string[];
  readonly folderIds: readonly string[];
  /** The name of the only one. */
  readonly name?: string | undefined;
}

export interface ActionPageProps {
  readonly chosen: ChosenEntries;
  /** The path of the list, whose form acts. */
  readonly back: string;
}

/** Renders the question before a deletion without a script, which has no undo. */
export function renderDeletePage(page: PageContext, props: ActionPageProps): string {
  const { files: texts } = page.texts;
  const { fileIds, folderIds } = props.chosen;
  const isFolder = fileIds.length === 0;
  const [title, text] =
    countOf(props.chosen) > 1
      ? [texts.deleteManyQuestion(countOf(props.chosen)), folderIds.length === 0 ? texts.deleteManyText : texts.deleteMixedText]
      : isFolder
        ? [texts.deleteFolderQuestion, texts.deleteFolderText]
        : [texts.deleteQuestion, texts.deleteText];
  return renderAction(page, {
    ...props,
    state: "files-delete",
    title,
    action: "delete",
    submit: texts.deleteNow,
    cancel: texts.keep,
    isDanger: true,
    children: <p>{text}</p>,
  });
}

export interface MovePageProps extends ActionPageProps {
  /** The folders that can be chosen. */
  readonly folders: readonly FolderChoice[];
}

/** Renders the choice of a folder to move to. */
export function renderMovePage(page: PageContext, { folders, ...props }: MovePageProps): string {
  const { files: texts } = page.texts;
  return renderAction(page, {
    ...props,
    state: "files-move",
    title: texts.moveTitle(countOf(props.chosen)),
    action: "move",
    submit: texts.moveHere,
    children: (
      <label class="field">
        {texts.folder}
        <select name="to">
          <option value="">{texts.title}</option>
          {folders.map(({ id, path }) => (
            <option key={id} value={id}>
              {fullName(path)}
            </option>
          ))}
        </select>
      </label>
    ),
  });
}

/** Renders the field for another name. */
export function renderRenamePage(page: PageContext, props: ActionPageProps): string {
  const { files: texts } = page.texts;
  return renderAction(page, {
    ...props,
    state: "files-rename",
    title: texts.rename,
    action: "rename",
    submit: texts.save,
    children: (
      <label class="field">
        {texts.newName}
        <input
          type="text"
          name="name"
          value={props.chosen.name}
          maxLength={200}
          required
          autocomplete="off"
          dir="auto"
          spellcheck={false}
        />
      </label>
    ),
  });
}

export interface SharePageProps extends ActionPageProps {
  /** Undefined before they are shared. */
  readonly shareUrl?: string;
}

/** Renders the question before files and folders get a link, and the link. */
export function renderShareChosenPage(page: PageContext, { shareUrl, ...props }: SharePageProps): string {
  const { files: texts } = page.texts;
  const { chosen, back } = props;
  if (shareUrl === undefined)
    return renderAction(page, {
      ...props,
      state: "files-share",
      title: texts.shareTitle(countOf(chosen)),
      action: "share",
      submit: texts.getLink,
      children: (
        <>
          <p>{texts.shareText}</p>
          <p class="quiet">{texts.shareEndsLinks}</p>
          <label class="field">
            {texts.shareName}
            <input
              type="text"
              name="title"
              value={chosen.fileIds.length === 0 ? chosen.name : ""}
              maxLength={120}
              autocomplete="off"
              dir="auto"
            />
          </label>
        </>
      ),
    });
  const title = texts.linkOf(countOf(chosen));
  return renderDocument(page, {
    title,
    styles: ["dashboard"],
    main: { "data-state": "files-shared" },
    children: (
      <section class="card">
        <h1>{title}</h1>
        <p class="files-url">
          <a href={shareUrl}>{shareUrl}</a>
        </p>
        <p class="quiet">{texts.linkText}</p>
        <p>
          <a class="button plain" href={back}>
            {texts.back}
          </a>
        </p>
      </section>
    ),
  });
}

interface ActionProps extends ActionPageProps {
  readonly state: string;
  readonly title: string;
  readonly action: "delete" | "move" | "rename" | "share";
  readonly submit: string;
  readonly cancel?: string;
  readonly isDanger?: true;
  readonly children: ComponentChildren;
}

function renderAction(page: PageContext, props: ActionProps): string {
  const { chosen, back, state, title, action, submit, cancel = page.texts.files.cancel, isDanger, children } = props;
  return renderDocument(page, {
    title,
    styles: ["dashboard"],
    main: { "data-state": state },
    children: (
      <section class="card">
        <h1>{title}</h1>
        {chosen.name === undefined || action === "rename" ? null : (
          <div class="file small">
            {chosen.folderIds.length === 0 ? <FileTile name={chosen.name} /> : null}
            <p class="name">{chosen.folderIds.length === 0 ? <FileName name={chosen.name} /> : <bdi>{fullName(chosen.name)}</bdi>}</p>
          </div>
        )}
        <form method="post" action={back}>
          <ChosenFields chosen={chosen} />
          {children}
          <div class="choices">
            <button class={isDanger ? "button danger" : "button"} type="submit" name="action" value={action}>
              {submit}
            </button>
            <a class="button plain" href={back}>
              {cancel}
            </a>
          </div>
        </form>
      </section>
    ),
  });
}

/** What a form acts on. */
function ChosenFields({ chosen: { fileIds, folderIds } }: { readonly chosen: ChosenEntries }) {
  return (
    <>
      {fileIds.map((id) => (
        <input key={id} type="hidden" name="file" value={id} />
      ))}
      {folderIds.map((id) => (
        <input key={id} type="hidden" name="folder" value={id} />
      ))}
    </>
  );
}

const countOf = ({ fileIds, folderIds }: ChosenEntries): number => fileIds.length + folderIds.length;
