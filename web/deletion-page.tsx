/** @jsxImportSource preact */
import { FileName, FileTile } from "./file-name.tsx";
import { formatSize } from "./format.ts";
import { renderDocument } from "./layout.tsx";

export interface DeletionPageProps {
  readonly name: string;
  readonly sizeBytes: number | null;
  /** Where the form is sent: the page's own. */
  readonly path: string;
}

/** The page behind a deletion link: asks first, since whatever opens links ahead of people must not remove anything. */
export function renderDeletionPage({ name, sizeBytes, path }: DeletionPageProps): string {
  return renderDocument({
    title: "Remove this file?",
    main: { "data-state": "deletion" },
    children: (
      <section class="card">
        <h1>Remove this file?</h1>
        <div class="file small">
          <FileTile name={name} />
          <p class="name">
            <FileName name={name} />
            {sizeBytes === null ? null : <span class="quiet block">{formatSize(sizeBytes)}</span>}
          </p>
        </div>
        <p>Its link stops working at once, for everybody. This cannot be undone.</p>
        <form method="post" action={path}>
          <button class="button danger" type="submit">
            Remove it for good
          </button>
        </form>
      </section>
    ),
  });
}
