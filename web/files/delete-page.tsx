/** @jsxImportSource preact */
import { FileName, FileTile } from "../file-name.tsx";
import { renderDocument } from "../layout.tsx";
import type { PageContext } from "../page-context.ts";

export interface DeletePageProps {
  readonly kind: "file" | "folder";
  readonly id: string;
  readonly name: string;
  /** The path of the list, whose form deletes. */
  readonly back: string;
}

/** Renders the question before a deletion without a script, which has no undo. */
export function renderDeletePage(page: PageContext, { kind, id, name, back }: DeletePageProps): string {
  const { files: texts } = page.texts;
  const question = kind === "file" ? texts.deleteQuestion : texts.deleteFolderQuestion;
  return renderDocument(page, {
    title: question,
    main: { "data-state": "files-delete" },
    children: (
      <section class="card">
        <h1>{question}</h1>
        <div class="file small">
          {kind === "file" ? <FileTile name={name} /> : null}
          <p class="name">
            <FileName name={name} />
          </p>
        </div>
        <p>{kind === "file" ? texts.deleteText : texts.deleteFolderText}</p>
        <form class="choices" method="post" action={back}>
          <input type="hidden" name="action" value="delete" />
          <input type="hidden" name={kind} value={id} />
          <button class="button danger" type="submit">
            {texts.deleteNow}
          </button>
          <a class="button plain" href={back}>
            {texts.keep}
          </a>
        </form>
      </section>
    ),
  });
}
