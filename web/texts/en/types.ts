/** What files are, by kind and format. */
export const types = {
  kinds: {
    image: (format: string) => `${format} image`,
    video: (format: string) => `${format} video`,
    audio: (format: string) => `${format} audio`,
    document: (format: string) => `${format} document`,
    book: (format: string) => `${format} book`,
    spreadsheet: (format: string) => `${format} spreadsheet`,
    presentation: (format: string) => `${format} presentation`,
    text: (format: string) => `${format} text`,
    table: (format: string) => `${format} table`,
    webPage: (format: string) => `Web page (${format})`,
    styleSheet: (format: string) => `Style sheet (${format})`,
    calendar: (format: string) => `Calendar (${format})`,
    program: (language: string) => `${language} program`,
    script: (language: string) => `${language} script`,
    data: (format: string) => `${format} data`,
    database: (format: string) => `${format} database`,
    archive: (format: string) => `${format} archive`,
    diskImage: (format: string) => `${format} disk image`,
    package: (format: string) => `${format} package`,
    app: (system: string) => `${system} app`,
    file: (extension: string) => `${extension} file`,
  },
  /** Of a media type that has no name in this list. */
  families: {
    image: "Image",
    video: "Video",
    audio: "Audio",
    font: "Font",
    text: "Plain text",
    model: "3D model",
    message: "Message",
  },
  byExtension: { key: "Key file", pub: "Public key" },
  file: "File",
};

export type TypeTexts = typeof types;
