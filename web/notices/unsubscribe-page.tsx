/** @jsxImportSource preact */

import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { PageForm } from "../site/page-form.tsx";

/** Renders the page of a mail's unsubscribe link. Only its button, or the mail program, unsubscribes. */
export function renderUnsubscribePage(page: PageContext, { path }: { readonly path: string }): string {
  const texts = page.texts.notices;
  return renderDocument(page, {
    title: texts.unsubscribeButton,
    main: { "data-state": "unsubscribe" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.unsubscribe}</h1>
          <p class="quiet">{texts.unsubscribeText}</p>
        </div>
        <PageForm action={path} submit={texts.unsubscribeButton} problem={undefined} />
      </section>
    ),
  });
}
