/** @jsxImportSource preact */
import { Copyable } from "../site/copyable.tsx";
import type { PageContext } from "../site/page-context.ts";
import { type GuideName, guideCommands } from "./guides.ts";
import { Marked } from "./prose.tsx";
import type { DocsView } from "./view.ts";

interface GuideProps {
  readonly page: PageContext;
  readonly name: GuideName;
  readonly view: DocsView;
}

/** Renders the steps of a guide, each with its command for this server. */
export function Guide({ page, name, view }: GuideProps) {
  const commands: Readonly<Record<string, string>> = guideCommands(view)[name];
  const steps: Readonly<Record<string, { readonly title: string; readonly text: string }>> = page.texts.docs.guides[name].steps;
  return (
    <>
      {Object.entries(steps).map(([step, { title, text }]) => (
        <section key={step} class="docs-section" id={step}>
          <h2>{title}</h2>
          <p>
            <Marked text={text} />
          </p>
          <Copyable page={page} id={`guide-${step}`} label={title} text={commands[step] ?? ""} />
        </section>
      ))}
    </>
  );
}
