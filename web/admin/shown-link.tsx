/** @jsxImportSource preact */
import { formatDate } from "../format.ts";
import type { PageContext } from "../page-context.ts";

interface ShownLinkProps {
  readonly page: PageContext;
  readonly label: string;
  readonly link: { readonly url: string; readonly expiresAt: string };
}

/** A link that is shown once. */
export function ShownLink({ page: { texts, language }, label, link: { url, expiresAt } }: ShownLinkProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <span class="quiet">{texts.admin.linkText(formatDate(Date.parse(expiresAt), language))}</span>
      <input type="url" value={url} readonly />
    </label>
  );
}
