export function GET() {
  return new Response(seconds(), { headers: { 'Content-Type': 'text/event-stream' } })
}

function seconds() {
  let second = 0
  return new ReadableStream({
    async pull(controller) {
      if (second > 0) await new Promise((resolve) => setTimeout(resolve, 1000))
      controller.enqueue(new TextEncoder().encode(`second ${++second}\n`))
      if (second === 60) controller.close()
    },
  })
}
