-- Transcripts by whisper.cpp's server, to be added to your config.lua. Start it with
--     whisper-server --model models/ggml-small.en.bin --host 127.0.0.1 --port 8080

-- What is not recorded has no text. Recording people is governed by law in most places:
-- tell your players.
Config.recording = { all = true }

Config.transcriber = {
    url = "http://127.0.0.1:8080/inference",
    fields = { response_format = "json", language = "en" },
    timeout = 60000, -- ms
}
