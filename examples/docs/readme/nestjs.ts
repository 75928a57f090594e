import 'reflect-metadata'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { RateLimitModule } from '@sluice/nestjs'

@Controller()
class AppController {
  @Get()
  hello() {
    return 'Hello'
  }
}

@Module({
  imports: [RateLimitModule.forRoot({ limit: 100, window: '1m' })],
  controllers: [AppController],
})
class AppModule {}

const app = await NestFactory.create(AppModule)
await app.listen(3000)
