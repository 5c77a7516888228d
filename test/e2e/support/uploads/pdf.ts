export interface PdfContent {
  readonly text: string;
  readonly pages?: number;
  /** JavaScript that runs when the document is opened. */
  readonly openScript?: string;
  /** A PDF action when the document is opened. */
  readonly openAction?: string;
}

/** Makes a PDF whose pages all have the same line of text. */
export function toPdf({ text, pages = 1, openScript = "", openAction }: PdfContent): string {
  const script = openScript.replace(/[()\\]/g, "\\$&");
  const stream = `BT /F1 24 Tf 50 100 Td (${text}) Tj ET`;
  const firstPage = 6;
  const numbers = Array.from({ length: pages }, (_, index) => firstPage + index);
  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 3 0 R /Resources << /Font << /F1 4 0 R >> >> >>";
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /OpenAction ${openScript === "" && openAction === undefined ? "[6 0 R /Fit]" : "5 0 R"} >>`,
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${pages} >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    openAction ?? `<< /S /JavaScript /JS (${script}) >>`,
    ...numbers.map(() => page),
  ];
  let pdf = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = pdf.length;
    pdf += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return `${pdf}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
}
