/** @jsxImportSource preact */
import { type GuideName, guideCommands } from "./guides.ts";
import { Example } from "./operation.tsx";
import { Marked } from "./prose.tsx";
import type { DocsTexts } from "./texts/en.ts";
import type { DocsView } from "./view.ts";

interface GuideProps {
  readonly name: GuideName;
  readonly view: DocsView;
  readonly texts: DocsTexts;
}

/** Renders the steps of a guide, each with its command for this server. */
export function Guide({ name, view, texts }: GuideProps) {
  const commands: Readonly<Record<string, string>> = guideCommands(view)[name];
  const steps: Readonly<Record<string, { readonly title: string; readonly text: string }>> = texts.guides[name].steps;
  return (
    <>
      {Object.entries(steps).map(([step, { title, text }]) => (
        <section key={step} class="docs-section" id={step}>
          <h2>{title}</h2>
          <p>
            <Marked text={text} />
          </p>
          <Example id={`guide-${step}`} title={step === "verify" ? texts.verifyTitle : texts.command} text={commands[step] ?? ""} texts={texts} />
        </section>
      ))}
    </>
  );
}
