# Every step that a person or CI takes is written down here and nowhere else.
# Without just installed: npx -y rust-just@1.57.0 <recipe>

set shell := ["bash", "-euo", "pipefail", "-c"]

# list the recipes
default:
    @just --list

# run the radio on its embedded default, data in ./data
run *args: node panel
    go run ./server serve {{args}}

# run all tests
test: deps panel generated clients vet interfaces cross unit console

# check the version of Node
node:
    @node -e 'const [a,b]=process.versions.node.split(".").map(Number); if (a<20 || (a==20 && b<19)) { console.error("Node 20.19 or newer is needed, this is "+process.version); process.exit(1) }'

# what the tests need beyond Go and Node: gcc, browsers (also Chromium 103, the game's), npm packages
deps: node browsers
    @command -v gcc >/dev/null || { echo "gcc is needed for the race detector: apt-get install gcc" >&2; exit 1; }
    npm ci --prefix server/testpeers --no-audit --no-fund --loglevel=error
    npm ci --prefix panel/e2e/nui --ignore-scripts --no-audit --no-fund --loglevel=error
    npm ci --prefix core/wire/lint --ignore-scripts --no-audit --no-fund --loglevel=error
    npm ci --prefix clients/typescript --ignore-scripts --no-audit --no-fund --loglevel=error

# Without PulseAudio, Firefox plays nothing; Lua 5.4 runs the game's scripts; the pages
# are measured in Inter, the first font that they ask for.
# Debian's Chromium, Firefox, PulseAudio, Lua 5.4 and Inter, installed where that can be done
browsers:
    #!/usr/bin/env bash
    set -euo pipefail
    missing=""
    for program in chromium firefox-esr pulseaudio lua5.4; do
      command -v "$program" >/dev/null || missing="$missing $program"
    done
    [ -n "$(ls /usr/share/fonts/*/inter 2>/dev/null)" ] || missing="$missing fonts-inter"
    [ -n "$missing" ] || exit 0
    sudo=""
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    if command -v apt-get >/dev/null && $sudo true 2>/dev/null; then
      echo "installing$missing"
      $sudo apt-get update -qq
      $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
    else
      echo "the tests need$missing: apt-get install$missing" >&2
      exit 1
    fi

# build the panel and the page of the game that the service embeds, with the core for the panel's simulation
panel: wasm
    npm ci --prefix panel --no-audit --no-fund --loglevel=error
    npm run --prefix panel --silent build

# "just resource --address http://10.0.0.2:7777" puts the service's address in it.
# write what game servers install: build/radio.zip, and the same as the folder build/radio
resource *args:
    npm ci --prefix panel --no-audit --no-fund --loglevel=error
    npm run --prefix panel --silent build:nui
    rm -rf build/radio
    go run ./server resource --out build {{args}}
    go run ./server resource --out build --unpack {{args}}

# the core as WebAssembly, wasm/core.wasm: same source, same bytes, at most 1.4 MB as gzip
wasm:
    go run ./wasm/build -o wasm/core.wasm

# "just release --help" says how to make some of it only. Same commit, same toolchains: same bytes.
# make a release of the checkout in build/release: archives, packages, container, bills of materials, checksums
release *args:
    #!/usr/bin/env bash
    set -euo pipefail
    go -C server/release build -o ../../build/make-release .
    case " {{args}} " in *" --help "*) exec build/make-release --help ;; esac
    build/make-release --look {{args}}
    {{just_executable()}} node panel
    build/make-release {{args}}

# regenerate the generated files
gen:
    go generate ./...
    gofmt -w clients/go core server sfu themes wasm

# check that generated files and formatting are as committed
generated:
    go generate ./...
    @git diff --exit-code --stat -- '*.gen.*' '*_gen.go' '*.ogg' server/resource/radio/shared/table.lua server/resource/types handbook/exports.md themes/types themes/AUTHORS.md || { echo "generated files differ: run 'just gen' and commit" >&2; exit 1; }
    @test -z "$(gofmt -l clients/go core server sfu themes wasm)" || { gofmt -l clients/go core server sfu themes wasm; echo "not formatted: run 'just gen'" >&2; exit 1; }

# build the client package in TypeScript and its examples, with strict types
clients:
    npm run --prefix clients/typescript --silent build

# static checks
vet:
    go vet ./...
    go tool staticcheck ./...
    go -C server/testpeers/zishang vet ./...
    go -C server/release vet ./...

# the descriptions of the interfaces, as redocly, spectral and the AsyncAPI parser see them
interfaces:
    npm run --prefix core/wire/lint --silent lint

# Unoptimised, which takes half the time: what matters is that it compiles and links, on 32
# bits too; "just release" builds for every system. For Windows the tests are read as well.
# build for a system that the tests do not run on, and read everything as Windows has it
cross:
    CGO_ENABLED=0 GOOS=linux GOARCH=arm go build -gcflags='all=-N -l' -ldflags='-s -w' -o /dev/null ./server
    GOOS=windows go vet ./...

# Without the race detector: what measures allocations, and what compares builds of the
# core (one goroutine each, ten times slower with it).
# all Go tests; go vet has been run before them
unit:
    go test -vet=off -race $(go list ./... | grep -v /wasm/parity)
    go test -vet=off ./wasm/parity
    go -C server/release test -vet=off ./...
    go test -vet=off -run 'Alloc' $(grep -rl --include='*_test.go' '^func Test.*Alloc' core server sfu | xargs -n1 dirname | sort -u | sed 's|^|./|')

# SQUELCH_ABUSE=1h runs each abuse test for an hour. The console's checks look at one desk
# and the phone, at night; here at all five sizes and four looks (half an hour).
# the abuse tests for ten minutes each, 50 kills under load, a full game server for a minute, a day of voice for 200 listeners in some minutes, the browsers' voice on pion's engine, a release built twice and started under qemu, the console in all sizes and looks, on a quiet machine
test-long: deps panel
    SQUELCH_ABUSE="${SQUELCH_ABUSE:-10m}" go test -count=1 -timeout 4h -v -run 'DisturbsNobody' ./server/e2e
    SQUELCH_KILLS="${SQUELCH_KILLS:-50}" go test -race -count=1 -timeout 1h -v -run 'KilledUnderLoad' ./server/e2e
    SQUELCH_GAME_LOAD="${SQUELCH_GAME_LOAD:-60}" go test -count=1 -v -run 'GameUnderLoad' ./server/e2e
    SQUELCH_DAY=1 go test -count=1 -timeout 2h -v -run 'ADayOnTheAir' ./sfu
    SQUELCH_ENGINE=pion npm run --prefix panel --silent e2e -- voice keyup failover ice-tcp firefox nui
    go -C server/release build -o ../../build/make-release . && build/make-release --verify
    SQUELCH_ALL_LOOKS=1 npm run --prefix panel --silent e2e -- acceptance/{states,shell,card,ptt,emergency,rail,keyboard,german,first}

# the panel's own tests: types, units, and browsers on the running service
console:
    npm run --prefix panel --silent check
    npm run --prefix panel --silent test
    npm run --prefix panel --silent e2e

# "just pictures --help" says how to make some of them only.
# pictures of every state of the console, in its looks, densities and sizes: build/pictures/index.html
pictures *args:
    #!/usr/bin/env bash
    set -euo pipefail
    case " {{args}} " in *" --help "*) exec node panel/e2e/pictures.mjs --help ;; esac
    {{just_executable()}} browsers panel
    go build -o build/squelch ./server
    SQUELCH_BIN="$PWD/build/squelch" node panel/e2e/pictures.mjs {{args}}

# measurements beside other servers, in one run each (minutes, on a quiet machine)
bench: deps panel
    go build -o build/squelch ./server && SQUELCH_BIN="$PWD/build/squelch" npm run --prefix panel --silent bench
    SQUELCH_BIN="$PWD/build/squelch" node panel/bench/voice.mjs
    go run ./server bench relay
    go run ./server bench voice --webrtc 200 --compare
    go run ./server bench hostile
    go run ./server bench hostile --engine pion
    go run ./server bench replay
    go run ./server bench cluster
    go run ./wasm/bench
    go test -run '^$' -bench . ./core ./sfu ./sfu/imbe ./sfu/srtp ./server/radio
    go test -run '^$' -bench Export ./server/script

# SQUELCH_CHAOS says how often each fault is made.
# kill, stop, cut off and mislead nodes of a cluster, 20 times each, and print what became of it
chaos:
    SQUELCH_CHAOS="${SQUELCH_CHAOS:-20}" go test -count=1 -timeout 4h -run 'Chaos' -v ./server/cluster/trial

# long runs, outside the tests
soak:
    go test -run '^$' -fuzz FuzzPacket -fuzztime 60s ./server/sio/packet
    go test -run '^$' -fuzz FuzzRTP -fuzztime 60s ./sfu/srtp
    go test -run '^$' -fuzz FuzzRTCP -fuzztime 60s ./sfu/srtp
    go test -run '^$' -fuzz FuzzRequests -fuzztime 60s -fuzzminimizetime 5x ./server/recdesk
    go test -run '^$' -fuzz FuzzTable -fuzztime 60s -fuzzminimizetime 5x ./server/recdesk
    go test -run '^$' -fuzz FuzzMix -fuzztime 60s -fuzzminimizetime 5x ./server/recdesk/mix
    go build -o build/squelch ./server && SQUELCH_BIN="$PWD/build/squelch" npm run --prefix panel --silent bench -- --minutes 10
