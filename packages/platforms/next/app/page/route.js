export function GET() {
  return new Response('Page.')
}
