/** A Java program that reads the ZIP of its argument as a stream, and prints name, size, CRC-32 and time of each entry. */
export const LIST_STREAM_JAVA = `
import java.io.*;
import java.util.zip.*;

public class Read {
  public static void main(String[] args) throws Exception {
    try (ZipInputStream zip = new ZipInputStream(new BufferedInputStream(new FileInputStream(args[0])))) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        CRC32 checksum = new CRC32();
        byte[] buffer = new byte[65536];
        long size = 0;
        for (int count = zip.read(buffer); count >= 0; count = zip.read(buffer)) {
          checksum.update(buffer, 0, count);
          size += count;
        }
        System.out.print(entry.getName() + "\\t" + size + "\\t" + checksum.getValue() + "\\t" + entry.getTime() + "\\n");
      }
    }
  }
}
`;

/** A Python program that reads \`a.zip\` as a stream, and prints name, size and CRC-32 of each entry. */
export const LIST_STREAM_PYTHON = `
import sys, zlib
from stream_unzip import stream_unzip

def chunks():
    with open("a.zip", "rb") as file:
        while chunk := file.read(65536):
            yield chunk

sys.stdout.reconfigure(encoding="utf-8")
for name, _, parts in stream_unzip(chunks()):
    size = checksum = 0
    for part in parts:
        size += len(part)
        checksum = zlib.crc32(part, checksum)
    print(name.decode(), size, checksum, sep="\\t")
`;
