package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestATranscriberOfAFile(t *testing.T) {
	const zones = "Config.zones = { { name = 'Police', Channels = { { name = 'Dispatch', type = 'conventional', frequency = 154.755 }, { name = 'Tac', type = 'conventional', frequency = 155.1 } } } }\n"
	l := mustText(t, zones)
	if l.Server.Transcriber != nil {
		t.Errorf("without one: %+v", l.Server.Transcriber)
	}
	l = mustText(t, zones+`Config.transcriber = { command = { "/opt/whisper/run", "--file", "{file}", 7 } }`)
	same(t, "a command", fmt.Sprintf("%+v", *l.Server.Transcriber),
		"{Command:[/opt/whisper/run --file {file} 7] URL: Field:file Fields:[] Headers:[] Private:[] WAV:true Timeout:1m0s AtOnce:1 MinVoice:1s Channels:[]}")
	l = mustText(t, zones+`Config.transcriber = { url = "http://127.0.0.1:8080/inference?x=1", field = "audio", format = "ogg", timeout = 5000, atOnce = 3, minSeconds = 0.5,
		fields = { response_format = "json", language = "en" }, headers = { Authorization = "Bearer 1" }, private = { "10.0.0.0/8", "192.168.1.5" }, channels = { 155.1, "dispatch" } }`)
	same(t, "an endpoint", fmt.Sprintf("%+v", *l.Server.Transcriber),
		"{Command:[] URL:http://127.0.0.1:8080/inference?x=1 Field:audio Fields:[{Name:language Value:en} {Name:response_format Value:json}] Headers:[{Name:Authorization Value:Bearer 1}]"+
			" Private:[10.0.0.0/8 192.168.1.5/32] WAV:false Timeout:5s AtOnce:3 MinVoice:500ms Channels:[155.1 154.755]}")
	for _, url := range []string{"https://whisper.example.org/inference", "http://10.1.2.3/", "http://[::1]:8080/", "http://whisper.lan/', private = '10.0.0.0/8"} {
		same(t, url, mustText(t, zones+"Config.transcriber = { url = '"+url+"' }").Server.Transcriber.Field, "file")
	}
	for _, c := range []struct{ src, wrong string }{
		{"{}", `transcriber: needs command, such as { "/opt/whisper/run", "{file}" }, or url`},
		{"'/opt/whisper/run'", "transcriber: must be a table"},
		{"{ comand = { '/x' } }", "transcriber.comand: is unknown; did you mean command?"},
		{"{ command = { '/x' }, url = 'http://127.0.0.1/' }", "transcriber.url: cannot be combined with transcriber.command"},
		{"{ command = '/opt/whisper/run --file' }", `transcriber.command: must be a list of a program and its arguments, such as { "/opt/whisper/run", "{file}" }, not "/opt/whisper/run --file"`},
		{"{ command = {} }", "transcriber.command: is empty: it needs a program"},
		{"{ command = { 'whisper' } }", `transcriber.command[1]: must be the path of a program, such as /opt/whisper/run or bin/run, not "whisper": none is searched for`},
		{"{ command = { '' } }", "transcriber.command[1]: must be the path of a program"},
		{"{ command = { '/x', {} } }", "transcriber.command[2]: must be text, not a table"},
		{"{ command = { '/x', 'a\\0b' } }", "transcriber.command[2]: must not contain a zero byte"},
		{"{ command = { '/x' }, headers = { A = 'b' } }", "transcriber.headers: belongs to transcriber.url, which is not given"},
		{"{ command = { '/x' }, chanels = { 'Tac' } }", "transcriber.chanels: is unknown; did you mean channels?"},
		{"{ command = { '/x' }, model = 'tiny' }", "transcriber.model: is unknown; a transcriber has command, url, field"},
		{"{ url = 'http://whisper.example.org/inference' }", "transcriber.url: must be https, because what is said can be read on the way"},
		{"{ url = 'ftp://example.org' }", "transcriber.url: must be an http or https URL such as http://127.0.0.1:8080/inference"},
		{"{ url = 'http://me:secret@example.org' }", "transcriber.url: must not have a user name or password in it"},
		{"{ url = 'http://127.0.0.1/', field = 'a\"b' }", "transcriber.field: must be the name of a form field, such as file"},
		{"{ url = 'http://127.0.0.1/', fields = { 'json' } }", `transcriber.fields[1]: needs a name, as in { name = "value" }`},
		{"{ url = 'http://127.0.0.1/', fields = { ['a\\r\\nb'] = 'json' } }", "is no name of a form field"},
		{"{ url = 'http://127.0.0.1/', headers = { ['A B'] = 'json' } }", "is no name of a header"},
		{"{ url = 'http://127.0.0.1/', headers = { A = 'b\\r\\nC: d' } }", "transcriber.headers.A: must be a text of 1 to 1024 bytes without control characters"},
		{"{ url = 'http://127.0.0.1/', headers = { Host = 'b' } }", "transcriber.headers.Host: is set by the service"},
		{"{ url = 'http://127.0.0.1/', private = 'ten' }", "transcriber.private: must be an address range such as 10.0.0.0/8"},
		{"{ command = { '/x' }, format = 'mp3' }", `transcriber.format: must be "wav" or "ogg", not "mp3"`},
		{"{ command = { '/x' }, timeout = 10 }", "transcriber.timeout: must be a whole number from 1000 to 600000, not 10"},
		{"{ command = { '/x' }, atOnce = 0 }", "transcriber.atOnce: must be a whole number from 1 to 16, not 0"},
		{"{ command = { '/x' }, minSeconds = -1 }", "transcriber.minSeconds: must be a number of seconds from 0 to 60, not -1"},
		{"{ command = { '/x' }, channels = { 'Dispach' } }", `transcriber.channels[1]: there is no channel "Dispach"; did you mean "Dispatch"?`},
	} {
		l, err := text(zones + "Config.transcriber = " + c.src)
		if err == nil {
			l.Callbacks.Close()
			t.Errorf("%s is accepted", c.src)
		} else if !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %s", c.src, err, c.wrong)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the password: %v", c.src, err)
		}
	}
}

// TestAProgramBesideTheFile: its path may begin there; one that is missing is told of.
func TestAProgramBesideTheFile(t *testing.T) {
	folder := t.TempDir()
	file, program := filepath.Join(folder, "config.lua"), filepath.Join(folder, "bin", "run")
	if err := os.WriteFile(file, []byte(`Config.transcriber = { command = { "bin/run", "{file}" }, timeout = 2000 }`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{false, true} {
		if there {
			if err := os.Mkdir(filepath.Dir(program), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(program, nil, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		l, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		l.Callbacks.Close()
		same(t, "program", l.Server.Transcriber.Command[0], program)
		same(t, "timeout", l.Server.Transcriber.Timeout, 2*time.Second)
		if warned := strings.Contains(strings.Join(l.Warnings, "\n"), "transcriber.command[1]: is not there: "+program); warned == there {
			t.Errorf("there: %v, warnings %q", there, l.Warnings)
		}
	}
}
