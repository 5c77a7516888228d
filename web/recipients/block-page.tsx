/** @jsxImportSource preact */
import { CheckIcon } from "../site/icons.tsx";
import { renderDocument } from "../site/layout.tsx";
import type { PageContext } from "../site/page-context.ts";
import { PageForm } from "../site/page-form.tsx";

interface BlockLink {
  readonly address: string;
  /** The path of the link, to which the form is sent. */
  readonly path: string;
}

/** Renders the page of a mail's block link. Only its button, or the mail program, blocks. */
export function renderBlockingPage(page: PageContext, { address, path }: BlockLink): string {
  const texts = page.texts.blocking;
  return renderDocument(page, {
    title: texts.title,
    main: { "data-state": "block" },
    children: (
      <section class="card">
        <div class="heading">
          <h1>{texts.title}</h1>
          <p class="quiet">{texts.text(address, page.site.name)}</p>
        </div>
        <PageForm action={path} submit={texts.button} problem={undefined} />
      </section>
    ),
  });
}

/** Renders the result of the button. A person who has blocked can allow the mails again. */
export function renderBlockedPage(page: PageContext, { address, path, isBlocked }: BlockLink & { readonly isBlocked: boolean }): string {
  const texts = page.texts.blocking;
  const title = isBlocked ? texts.blocked : texts.allowed;
  return renderDocument(page, {
    title,
    main: { "data-state": isBlocked ? "blocked" : "allowed" },
    children: (
      <section class="card message">
        <span class="badge good">
          <CheckIcon />
        </span>
        <h1>{title}</h1>
        <p>{(isBlocked ? texts.blockedText : texts.allowedText)(address, page.site.name)}</p>
        {isBlocked ? (
          <form method="post" action={`${path}?allow`}>
            <button class="button secondary" type="submit">
              {texts.allow}
            </button>
          </form>
        ) : null}
      </section>
    ),
  });
}
