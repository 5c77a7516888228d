/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { Copyable } from "../site/copyable.tsx";
import { formatDate } from "../site/format.ts";
import type { PageContext } from "../site/page-context.ts";
import { Panel } from "../site/panel.tsx";

interface ShownLinkProps {
  readonly page: PageContext;
  readonly label: string;
  readonly link: { readonly url: string; readonly expiresAt: string };
  readonly children?: ComponentChildren;
}

/** Renders a link that is shown only once. */
export function ShownLink({ page, label, link: { url, expiresAt }, children }: ShownLinkProps) {
  return (
    <Panel title={label} text={page.texts.admin.linkText(formatDate(Date.parse(expiresAt), page))} tone="fresh">
      <Copyable page={page} id="shown-link" label={label} text={url} />
      {children}
    </Panel>
  );
}
