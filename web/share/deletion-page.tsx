/** @jsxImportSource preact */
import { formatSize } from "../../src/lib/text/format-size.ts";
import { FileName, FileTile } from "../site/file-name.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";

export interface DeletionPageProps {
  readonly kind: "file" | "shipment";
  readonly name: string;
  readonly sizeBytes: number | null;
  /** The action of the form, which is the path of this page. */
  readonly path: string;
}

/** Renders the page of a deletion link. It asks for confirmation, because link previews and prefetches must not delete anything. */
export function renderDeletionPage(page: PageContext, { kind, name, sizeBytes, path }: DeletionPageProps): string {
  const texts = page.texts.deletion;
  const question = texts.question[kind];
  return renderDocument(page, {
    title: question,
    main: { "data-state": "deletion" },
    children: (
      <section class="card">
        <h1>{question}</h1>
        <div class="file small">
          <FileTile name={name} />
          <p class="name">
            <FileName name={name} />
            {sizeBytes === null ? null : <span class="quiet block">{formatSize(sizeBytes, page.language)}</span>}
          </p>
        </div>
        <p>{texts.consequence}</p>
        <form class="actions" method="post" action={path}>
          <button class="button danger" type="submit">
            {texts.submit}
          </button>
        </form>
      </section>
    ),
  });
}
