/** @jsxImportSource preact */

import { SELLING_PATH } from "../settings/paths.ts";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";

export interface ForcePageProps {
  /** A sentence about what buyers would lose. */
  readonly text: string;
  /** The path of the form that was sent. It is sent again with its fields. */
  readonly path: string;
  readonly fields: Iterable<readonly [name: string, value: string]>;
  /** The path of the page that contains the form. */
  readonly back: string;
}

/** Renders the question before an action with which buyers lose what they paid for (selling, "What buyers keep"). */
export function renderForcePage(page: PageContext, { text, path, fields, back }: ForcePageProps): string {
  const { sale, errors } = page.texts;
  return renderDocument(page, {
    title: sale.force.title,
    styles: ["dashboard"],
    main: { "data-state": "force" },
    children: (
      <section class="card">
        <h1>{sale.force.title}</h1>
        <p>{text}</p>
        {page.site.hasSelling ? (
          <p>
            <a href={SELLING_PATH}>{sale.ownLink}</a>
          </p>
        ) : null}
        <form class="choices" method="post" action={path}>
          {[...fields].map(([name, value]) => (
            <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
          ))}
          <button class="button danger" type="submit" name="force" value="true">
            {errors.nevertheless}
          </button>
          <a class="button plain" href={back}>
            {sale.force.cancel}
          </a>
        </form>
      </section>
    ),
  });
}
