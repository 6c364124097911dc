import { StringDecoder } from 'node:string_decoder';
import { type SaxesOptions, SaxesParser } from 'saxes';
import { BadFileError } from '../bad-file.ts';

/** Maximum length of a tag or text, which the parser buffers until its end. */
const maxTokenChars = 1024 * 1024;
/** Open tags are held in memory with their attributes. */
const maxDepth = 64;

/** By name including the prefix. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** Element names have no prefix; an empty element is opened and closed. */
export interface XmlHandlers {
  open(name: string, attributes: XmlAttributes): void;
  close(name: string): void;
  text(text: string): void;
}

/**
 * Reports the tags and texts of an XML part in order, until its end or until `isWanted` is false. Rejects
 * document types, because they declare entities, which could make a reader fetch or multiply content.
 *
 * @throws BadFileError
 */
export async function readXml(
  chunks: AsyncIterable<Buffer>,
  handlers: XmlHandlers,
  isWanted: () => boolean = () => true,
): Promise<void> {
  const decoder = new StringDecoder('utf8');
  const parser = new SaxesParser<SaxesOptions & { xmlns: false }>({ xmlns: false, position: false });
  let depth = 0;
  let tokenChars = 0;
  // No more than six handlers: with eight, V8 no longer optimizes the parser object, which is then six times
  // slower.
  parser.on('error', (error) => {
    throw malformed(error);
  });
  parser.on('doctype', () => {
    throw malformed();
  });
  parser.on('opentag', ({ name, attributes }) => {
    tokenChars = 0;
    depth += 1;
    if (depth > maxDepth) throw malformed();
    handlers.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    tokenChars = 0;
    depth -= 1;
    handlers.close(localName(name));
  });
  const onText = (text: string): void => {
    tokenChars = 0;
    if (depth > 0) handlers.text(text);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  for await (const chunk of chunks) {
    const text = decoder.write(chunk);
    tokenChars += text.length;
    parser.write(text);
    if (tokenChars > maxTokenChars) throw malformed();
    if (!isWanted()) return;
  }
  parser.write(decoder.end()).close();
}

/** Reports only the opened tags of a part. */
export function readTags(chunks: AsyncIterable<Buffer>, open: XmlHandlers['open']): Promise<void> {
  return readXml(chunks, { open, close: () => undefined, text: () => undefined });
}

function malformed(cause?: unknown): BadFileError {
  const error = new BadFileError('malformed_file', 'The workbook is not valid XML');
  error.cause = cause;
  return error;
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
