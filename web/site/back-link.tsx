/** @jsxImportSource preact */

export interface BackLinkProps {
  readonly path: string;
  /** The title of the page above this one in the hierarchy. */
  readonly text: string;
}

/** Renders the link above a page's title to the page above it in the hierarchy. */
export const BackLink = ({ path, text }: BackLinkProps) => (
  <p class="back">
    <a href={path}>← {text}</a>
  </p>
);
