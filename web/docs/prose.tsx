/** @jsxImportSource preact */

/** A text of the contract in English, with `code` in backticks. */
export function Prose({ text }: { readonly text: string }) {
  return <span lang="en">{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</span>;
}
