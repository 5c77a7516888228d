/** @jsxImportSource preact */

/** Renders a text with `code` in backticks. */
export function Marked({ text }: { readonly text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** Renders a text of the contract, which is in English. */
export const Prose = ({ text }: { readonly text: string }) => (
  <span lang="en">
    <Marked text={text} />
  </span>
);
