import { BadFileError, maxRecordBytes } from '../bad-file.ts';

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code('\\');
const lineFeed = 10;
const comma = code(',');
const openBrace = code('{');
const closeBrace = code('}');
const openBracket = code('[');
const closeBracket = code(']');

const isBlank = (byte: number): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13;

export interface ElementScanner {
  write(chunk: Buffer): void;
  end(): void;
}

/**
 * Splits a JSON document, an array or one object, into the elements of the array without buffering it: an
 * element ends at the comma or bracket that is not inside a string or a nested bracket. The content of
 * elements is not validated here.
 */
export function createElementScanner(onElement: (bytes: Buffer, line: number) => void): ElementScanner {
  let state: 'start' | 'array' | 'object' | 'end' = 'start';
  let held: Buffer[] = [];
  let heldBytes = 0;
  let line = 1;
  let elementLine = 0;
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let isAfterComma = false;

  const malformed = (message: string): BadFileError => new BadFileError('malformed_file', message, { line });

  function emit(chunk: Buffer, from: number, to: number): void {
    held.push(chunk.subarray(from, to));
    const bytes = held.length === 1 ? held[0]! : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    onElement(bytes, elementLine);
    elementLine = 0;
  }

  function outside(byte: number): void {
    if (isBlank(byte)) return;
    if (state === 'start' && byte === openBracket) state = 'array';
    else if (state !== 'array' && state !== 'object') {
      throw malformed(
        state === 'end'
          ? 'There is text after the end of the JSON document. If each line is an object, the format is ndjson'
          : 'The file is neither a JSON array nor a JSON object',
      );
    }
  }

  function scan(chunk: Buffer): void {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at]!;
      if (byte === lineFeed) line += 1;
      if (elementLine === 0) {
        if (state === 'start' && byte === openBrace) state = 'object';
        if (state !== 'array' && state !== 'object') {
          outside(byte);
          continue;
        }
        if (isBlank(byte)) continue;
        if (byte === comma || (byte === closeBracket && isAfterComma))
          throw malformed('An array element is missing');
        if (byte === closeBracket) {
          state = 'end';
          continue;
        }
        elementLine = line;
        start = at;
        isAfterComma = false;
      }
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) inString = false;
      } else if (byte === quote) inString = true;
      else if (byte === openBrace || byte === openBracket) depth += 1;
      else if ((byte === closeBrace || byte === closeBracket) && depth > 0) {
        depth -= 1;
        if (depth === 0 && state === 'object') {
          emit(chunk, start, at + 1);
          state = 'end';
        }
      } else if (depth === 0 && (byte === comma || byte === closeBracket)) {
        emit(chunk, start, at);
        isAfterComma = byte === comma;
        if (!isAfterComma) state = 'end';
      }
    }
    if (elementLine === 0) return;
    held.push(chunk.subarray(start));
    heldBytes += chunk.length - start;
    if (heldBytes > maxRecordBytes) {
      throw new BadFileError('too_large', `One record is longer than ${maxRecordBytes} bytes`, {
        line: elementLine,
      });
    }
  }

  return {
    write: scan,
    end() {
      if (state === 'start') throw new BadFileError('empty_file', 'The file is empty');
      if (state !== 'end') throw malformed('The JSON document ends too early');
    },
  };
}
