export { chartPng, chartSvg } from './src/charts/draw.ts';
export {
  type ChartDocument,
  type ChartKind,
  type ChartRequest,
  type ChartResult,
  chartKinds,
  chartSpec,
} from './src/charts/spec.ts';
export type {
  ExportFormat,
  ReportMaterial,
  ReportReferences,
  ReportSource,
  ResultTable,
} from './src/contract.ts';
export { DocumentFault, type DocumentFaultCode } from './src/fault.ts';
export { graphSvg } from './src/graphs/picture.ts';
export type { MailBounds, MailPart, MailPicture } from './src/mail/contract.ts';
export { mailNote, mailPage, mailText, pageOf } from './src/mail/page.ts';
export { fontPaths, makeDocument, makeMailPart } from './src/make-document.ts';
